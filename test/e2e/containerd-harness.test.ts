import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  ContainerState,
  ImageServiceService as images,
  ListImagesRequest,
  PodSandboxState,
  PodSandboxStatusRequest,
  RuntimeServiceService as runtime,
  StopContainerRequest,
  StopPodSandboxRequest,
} from '../../src/cri/gen/api.ts';
import { cgroupsNamed } from '../support/containerd/cgroups-named.ts';
import { findLeftovers, signal } from '../support/containerd/leftovers.ts';
import {
  containerStatus,
  containerStatusOnce,
  runBusyboxPod,
  type BusyboxPod,
  type StartedPod,
} from '../support/containerd/run-busybox-pod.ts';
import { runProgram } from '../support/containerd/run-program.ts';
import { skipWithoutContainerd } from '../support/containerd/skip-without-containerd.ts';
import { startContainerd, type PrivateContainerd } from '../support/containerd/start-containerd.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';

const SECONDS = 1_000;
const NOTHING = { processes: [], mounts: [], links: [] };
/** A test that starts a containerd with a pod, reports it, and never ends by itself. */
const ORPHAN_MAKER = `
  import { startContainerd } from '../support/containerd/start-containerd.ts';
  import { runBusyboxPod } from '../support/containerd/run-busybox-pod.ts';
  const { cri, dir, bridge } = await startContainerd();
  await runBusyboxPod(cri, { name: 'orphan', script: 'sleep 3600', logDirectory: dir + '/logs' });
  process.stdout.write(JSON.stringify({ dir, bridge }));
  setInterval(() => undefined, 1000);
`;
const ENDS_ON_TERM = 'trap "exit 0" TERM; sleep 3600 & wait';

describe.skipIf(skipWithoutContainerd('a private containerd'))(
  'a private containerd',
  { timeout: 60 * SECONDS },
  () => {
    let containerd: PrivateContainerd;
    let logs: string;

    beforeEach(async () => {
      containerd = await startContainerd();
      logs = await mkdtemp(join(tmpdir(), 'hivelet-logs-'));
      return async () => {
        await containerd.stop();
        await rm(logs, { recursive: true, force: true });
      };
    }, 60 * SECONDS);

    const runPod = (pod: Omit<BusyboxPod, 'logDirectory' | 'name'> & { name?: string }): Promise<StartedPod> =>
      runBusyboxPod(containerd.cri, { name: 'web', logDirectory: join(logs, pod.name ?? 'web'), ...pod });

    const sandboxStatus = async (podSandboxId: string) =>
      (await containerd.cri.call(runtime.podSandboxStatus, PodSandboxStatusRequest.create({ podSandboxId }))).status;

    it('offers the pause and busybox images without a registry', async () => {
      const answer = await containerd.cri.call(images.listImages, ListImagesRequest.create());
      expect(answer.images.flatMap((image) => image.repoTags).sort()).toEqual([
        'docker.io/library/busybox:1.36',
        'docker.io/library/busybox:latest',
        'localhost/pause:1',
      ]);
    });

    it('runs a container to its exit code and keeps its log in CRI format', async () => {
      const { containerId, logPath } = await runPod({ script: 'echo out; echo err >&2; exit 7' });
      const status = await containerStatusOnce(containerd.cri, containerId, (s) => s.finishedAt > 0n);
      expect(status).toMatchObject({ state: ContainerState.CONTAINER_EXITED, exitCode: 7, reason: 'Error' });
      const lines = (await readFile(logPath, 'utf8')).trimEnd().split('\n').sort();
      expect(lines.map((line) => line.replace(/^\S+Z /, ''))).toEqual(
        expect.arrayContaining(['stdout F out', 'stderr F err']),
      );
    });

    it("gives every pod an address in the instance's own range, reachable from the node", async () => {
      const script = 'while :; do echo hello | nc -l -p 8080; done';
      const pods = await Promise.all(['a', 'b'].map((name) => runPod({ name, script })));
      const statuses = await Promise.all(pods.map(({ sandboxId }) => sandboxStatus(sandboxId)));
      const addresses = statuses.map((status) => status?.network?.ip ?? '');
      expect(new Set(addresses).size).toBe(2);
      const [first, second, third] = containerd.subnet.split(/[./]/);
      for (const address of addresses) {
        // A /22 spans four values of the third byte, of which one is enough for a few pods.
        expect(address).toMatch(new RegExp(`^${first}\\.${second}\\.${third}\\.\\d+$`));
        expect(await readFromTcp(address, 8080)).toBe('hello\n');
      }
    });

    it('maps host ports', async () => {
      const script = 'while :; do echo hello | nc -l -p 18470; done';
      await runPod({ script, hostPort: 18470 });
      expect(await readFromTcp('127.0.0.1', 18470)).toBe('hello\n');
      expect(await runProgram('iptables-save', ['-t', 'nat'])).toContain(containerd.bridge);
      await containerd.stop();
      expect(await runProgram('iptables-save', ['-t', 'nat'])).not.toContain(containerd.bridge);
    });

    it('keeps containers running while the daemon is down, and finds them when it is up again', async () => {
      const { containerId } = await runPod({ script: 'echo $$; while :; do sleep 1; done' });
      const before = await containerStatus(containerd.cri, containerId);
      await containerd.stopDaemon();
      expect(containerd.pid).toBeUndefined();
      expect((await findLeftovers(containerd)).processes.map(({ program }) => program)).toEqual([
        'containerd-shim-runc-v2',
      ]);
      await containerd.startDaemon();
      expect(await containerStatus(containerd.cri, containerId)).toEqual(before);
      expect(before.state).toBe(ContainerState.CONTAINER_RUNNING);
    });

    it('recovers its pods after SIGKILL, and reports a container that ended meanwhile', async () => {
      const { sandboxId, containerId } = await runPod({ script: 'echo bye | nc -l -p 8080; exit 3' });
      const address = (await sandboxStatus(sandboxId))?.network?.ip ?? '';
      await containerd.kill();
      expect(await readFromTcp(address, 8080)).toBe('bye\n');
      await containerd.startDaemon();
      const status = await containerStatusOnce(containerd.cri, containerId, (s) => s.finishedAt > 0n);
      expect(status).toMatchObject({ state: ContainerState.CONTAINER_EXITED, exitCode: 3 });
      expect((await sandboxStatus(sandboxId))?.state).toBe(PodSandboxState.SANDBOX_READY);
    });

    it('stops a container that handles SIGTERM long before its grace period ends', async () => {
      const { containerId } = await runPod({ script: ENDS_ON_TERM });
      const start = performance.now();
      await containerd.cri.call(runtime.stopContainer, StopContainerRequest.create({ containerId, timeout: 30n }));
      expect(performance.now() - start).toBeLessThan(10 * SECONDS);
      expect((await containerStatus(containerd.cri, containerId)).exitCode).toBe(0);
    });

    it('stops and starts side by side with another one', async () => {
      await using other = await startContainerd();
      await Promise.all([
        runPod({ script: ENDS_ON_TERM }),
        runBusyboxPod(other.cri, { name: 'web', script: ENDS_ON_TERM, logDirectory: join(logs, 'other') }),
      ]);
      expect(other.subnet).not.toBe(containerd.subnet);
      await containerd.stop();
      const [container] = await other.containers();
      expect(container?.state).toBe(ContainerState.CONTAINER_RUNNING);
    });

    it('removes a stopped sandbox along with its container', async () => {
      const { sandboxId } = await runPod({ script: ENDS_ON_TERM });
      await containerd.cri.call(runtime.stopPodSandbox, StopPodSandboxRequest.create({ podSandboxId: sandboxId }));
      await containerd.stop();
      expect(cgroupsNamed(sandboxId)).toEqual([]);
    });

    it('is removed by the next one started if its test died without stopping it', async () => {
      const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', ORPHAN_MAKER], {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const orphan = JSON.parse(line.toString()) as { dir: string; bridge: string };
      expect((await findLeftovers(orphan)).processes).not.toEqual([]);
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await using _next = await startContainerd();
      // A parallel suite may be removing the instance now.
      const isGone = async () => !existsSync(orphan.dir) && (await findLeftovers(orphan)).links.length === 0;
      await waitUntil(isGone, { what: `the removal of ${orphan.dir}`, withinMs: 10 * SECONDS });
      expect(await findLeftovers(orphan)).toEqual(NOTHING);
    });

    it.each([
      { state: 'while pods run', before: async () => undefined },
      { state: 'while its daemon is down', before: (c: PrivateContainerd) => c.stopDaemon() },
      { state: 'after its daemon was killed', before: (c: PrivateContainerd) => c.kill() },
      { state: 'after its shims were killed', before: killShims },
      { state: 'with a daemon that cannot start again', before: spoilConfig },
    ])('leaves no process, mount, link, cgroup or file when stopped $state', async ({ before }) => {
      const pods = await Promise.all(['a', 'b'].map((name) => runPod({ name, script: 'sleep 3600' })));
      expect((await findLeftovers(containerd)).mounts.length).toBeGreaterThan(0);
      await before(containerd);
      await containerd.stop();
      await containerd.stop();
      expect(await findLeftovers(containerd)).toEqual(NOTHING);
      expect(existsSync(containerd.dir)).toBe(false);
      expect(pods.flatMap(({ sandboxId, containerId }) => cgroupsNamed(sandboxId, containerId))).toEqual([]);
    });
  },
);

/** Returns the bytes that a server sends before it closes; retries while the server is not listening yet. */
function readFromTcp(host: string, port: number): Promise<string> {
  const attempt = () => text(connect({ host, port })).catch(() => undefined);
  return waitUntil(attempt, { what: `an answer from ${host}:${port}`, withinMs: 10 * SECONDS });
}

async function killShims({ dir, bridge }: PrivateContainerd): Promise<void> {
  const { processes } = await findLeftovers({ dir, bridge });
  for (const { pid, program } of processes) if (program.startsWith('containerd-shim')) signal(pid, 'SIGKILL');
}

async function spoilConfig(containerd: PrivateContainerd): Promise<void> {
  await containerd.kill();
  await writeFile(join(containerd.dir, 'config.toml'), 'this is not TOML');
}
