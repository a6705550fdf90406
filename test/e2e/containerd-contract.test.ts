import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { describeContainerRuntime } from '../support/container-runtime-contract.ts';
import { skipWithoutContainerd } from '../support/containerd/skip-without-containerd.ts';
import { startContainerd } from '../support/containerd/start-containerd.ts';
import { BUSYBOX_IMAGE } from '../support/containerd/test-images.ts';

describe.skipIf(skipWithoutContainerd('real containerd, as a container runtime'))('the runtime contract', () => {
  describeContainerRuntime('real containerd', async () => {
    const containerd = await startContainerd();
    const logRoot = await mkdtemp(join(tmpdir(), 'hivelet-logs-'));
    return {
      cri: containerd.cri,
      image: BUSYBOX_IMAGE,
      imageAbsent: 'registry.invalid/absent:1',
      logRoot,
      async close() {
        await containerd.stop();
        await rm(logRoot, { recursive: true, force: true });
      },
    };
  });
});
