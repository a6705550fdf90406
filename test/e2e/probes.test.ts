import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ExecSyncRequest, RuntimeServiceService } from '../../src/cri/gen/api.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { containerStatusOf, onNode, podCalled, untilPod } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { runningContainers, untilNothingOf } from '../support/agent-process/runtime-view.ts';
import { BUSYBOX_IMAGE } from '../support/containerd/test-images.ts';

const sh = (script: string) => ['sh', '-c', script];
const exec = (script: string) => ({ exec: { command: sh(script) } });

/** A pod with one container `app`, which the test controls from outside. */
const pod = (name: string, container: object, spec: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 5,
    ...spec,
    containers: [{ name: 'app', image: BUSYBOX_IMAGE, imagePullPolicy: 'IfNotPresent', ...container }],
  },
});

const SERVE = sh('mkdir -p /www; exec httpd -f -p 8080 -h /www');
const STAY = 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done';

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
const restarts = (one: Pod): number => containerStatusOf(one, 'app').restartCount;

describeOnRuntimes('probes and hooks', ['containerd'], (kind) => {
  let node: NodeUnderTest;
  let outside: string;

  beforeAll(async () => {
    node = await NodeUnderTest.start(kind);
    outside = join(node.folder.rootDir, '..', 'outside');
    await mkdir(outside, { recursive: true });
    const web = {
      command: SERVE,
      ports: [{ name: 'http', containerPort: 8080 }],
      readinessProbe: { httpGet: { path: '/ok', port: 'http' }, periodSeconds: 1, failureThreshold: 1 },
      livenessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
      lifecycle: { postStart: exec('sleep 1; echo ok >/www/ok') },
    };
    await node.folder.put('web.yaml', pod('web', web));
    const alive = {
      command: sh(`touch /tmp/alive; ${STAY}`),
      livenessProbe: { ...exec('test -f /tmp/alive'), periodSeconds: 1, failureThreshold: 1 },
    };
    await node.folder.put('alive.yaml', pod('alive', alive));
    const slow = {
      command: sh(STAY),
      startupProbe: { ...exec('test -f /tmp/started'), periodSeconds: 1, failureThreshold: 600 },
    };
    await node.folder.put('slow.yaml', pod('slow', slow));
    const leaves = {
      command: sh(STAY),
      volumeMounts: [{ name: 'outside', mountPath: '/outside' }],
      lifecycle: { preStop: exec('echo bye >/outside/pre-stop') },
    };
    const volumes = [{ name: 'outside', hostPath: { path: outside, type: 'Directory' } }];
    await node.folder.put('leaves.yaml', pod('leaves', leaves, { volumes }));
  }, 90_000);
  afterAll(() => node?.stop(), 60_000);

  const until = (name: string, what: string, condition: (one: Pod) => boolean): Promise<Pod> =>
    untilPod(node.admin, name, { what, condition });
  const inside = async (name: string, script: string): Promise<void> => {
    const containerId = (await runningContainers(node.runtime.cri))[`${onNode(name)}/app`] ?? '';
    await node.runtime.cri.call(
      RuntimeServiceService.execSync,
      ExecSyncRequest.fromPartial({ containerId, cmd: sh(script), timeout: 10n }),
    );
  };

  it('a pod is reported as running during its postStart hook, and ready when the server answers', async () => {
    const began = await until('web', 'runs', ({ status }) => status?.phase === 'Running');
    expect([isReady(began), began.status?.podIP]).toEqual([false, expect.stringMatching(/^\d/)]);
    await until('web', 'is ready', isReady);
  });

  it('a container that fails its liveness probe is restarted', async () => {
    await until('alive', 'is ready', isReady);
    await inside('alive', 'rm /tmp/alive');
    const after = await until('alive', 'was restarted', (one) => restarts(one) === 1 && isReady(one));
    expect(containerStatusOf(after, 'app').lastState?.terminated?.exitCode).toBe(0);
  });

  it('a container has started when its startup probe succeeds', async () => {
    const before = await until('slow', 'runs', ({ status }) => status?.phase === 'Running');
    expect(containerStatusOf(before, 'app')).toMatchObject({ started: false, ready: false });
    await inside('slow', 'touch /tmp/started');
    await until('slow', 'has started', (one) => containerStatusOf(one, 'app').started === true && isReady(one));
  });

  it('a restart of the agent changes no readiness, and restarts no container', async () => {
    await inside('web', 'rm /www/ok');
    await until('web', 'is not ready', (one) => !isReady(one));
    // `started` stays true although the startup probe would fail now.
    await inside('slow', 'rm /tmp/started');
    const running = await runningContainers(node.runtime.cri);
    await node.agent.kill();
    await node.startAgent();
    const seen = new Set<string>();
    const look = async (name: string): Promise<void> => {
      const one = await podCalled(node.admin, name);
      if (one?.status?.containerStatuses?.[0]?.state?.running !== undefined) seen.add(`${name} ${isReady(one)}`);
    };
    await until('alive', 'is known again', (one) => one.status?.containerStatuses?.[0]?.state?.running !== undefined);
    for (let times = 0; times < 40; times += 1) for (const name of ['web', 'alive', 'slow']) await look(name);
    expect([...seen].sort()).toEqual(['alive true', 'slow true', 'web false']);
    expect(await runningContainers(node.runtime.cri)).toEqual(running);
    await inside('web', 'echo ok >/www/ok');
    await until('web', 'is ready again', isReady);
  });

  it('the preStop hook of a container runs before its stop', async () => {
    await until('leaves', 'is ready', isReady);
    await node.folder.remove('leaves.yaml');
    await untilNothingOf(node.runtime.cri, onNode('leaves'));
    expect(await readFile(join(outside, 'pre-stop'), 'utf8')).toBe('bye\n');
  });
});
