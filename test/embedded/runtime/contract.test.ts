import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveEmbeddedRuntime } from '../../../src/embedded/runtime/serve/serve.ts';
import { CONTRACT_EXECS, describeContainerRuntime } from '../../support/container-runtime-contract.ts';
import { connectCri } from '../../support/containerd/cri-connection.ts';

const script = {
  images: { 'registry.test/absent:1': ['ok'] },
  pods: {
    '*': {
      containers: {
        stubborn: {
          stop: 'ignore',
          exec: { [CONTRACT_EXECS.answers.join(' ')]: '7:out', [CONTRACT_EXECS.hangs.join(' ')]: '0@1001s' },
        },
        'exits-0': { run: '0@10ms' },
        'exits-3': { run: '3@10ms' },
        polite: { run: { do: 'run', log: 'ready' }, stop: '0@50ms' },
      },
    },
  },
};

describeContainerRuntime('the embedded runtime', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'embedded-runtime-'));
  const runtime = await serveEmbeddedRuntime({ socketPath: join(dir, 'cri.sock'), script });
  const cri = connectCri(runtime.socketPath);
  return {
    cri,
    image: 'registry.test/shell:1',
    imageAbsent: 'registry.test/absent:1',
    logRoot: join(dir, 'logs'),
    async close() {
      cri.close();
      await runtime.close();
      await rm(dir, { recursive: true });
    },
  };
});
