import { existsSync } from 'node:fs';
import { copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  ContainerStatusRequest,
  PodSandboxStatusRequest,
  RuntimeServiceService as runtime,
  type Container,
} from '../../src/cri/gen/api.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { hivelet, NODE_NAME } from '../support/agent-process/agent-process.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { onNode, podCalled, untilAllRunning } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { isOfPod, listRuntime } from '../support/agent-process/runtime-view.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const MiB = 1024 * 1024;

describeOnRuntimes('the pods in examples/', ['containerd', 'embedded'], (kind) => {
  let node: NodeUnderTest;
  let names: readonly string[];
  let pods: readonly Pod[];

  beforeAll(async () => {
    node = await NodeUnderTest.prepare(kind);
    const files = await readdir(EXAMPLES);
    for (const file of files) await copyFile(join(EXAMPLES, file), join(node.folder.manifests, file));
    names = await Promise.all(files.map(nameInManifest));
    const agent = node.spawnAgent();
    pods = await untilAllRunning(agent.admin, files.length, 30_000);
    const tookMs = Math.round(performance.now() - agent.startedAt);
    process.stdout.write(`examples/ on ${kind}: ${tookMs} ms from the start of the agent to all ready\n`);
  }, 150_000);
  afterAll(() => node?.stop(), 60_000);

  const containerOf = async (pod: string, name: string): Promise<Container> => {
    const { containers } = await listRuntime(node.runtime.cri);
    const found = containers.find((each) => isOfPod(onNode(pod))(each) && each.metadata?.name === name);
    if (found === undefined) throw new Error(`the runtime has no container ${name} of pod ${pod}`);
    return found;
  };
  const podOf = async (name: string): Promise<Pod> => {
    const pod = await podCalled(node.admin, name);
    if (pod === undefined) throw new Error(`there is no pod ${name}`);
    return pod;
  };
  const statusOf = async (containerId: string) => {
    const { status, info } = await node.runtime.cri.call(
      runtime.containerStatus,
      ContainerStatusRequest.create({ containerId, verbose: true }),
    );
    if (status === undefined) throw new Error(`no status of container ${containerId}`);
    return { status, info };
  };

  it('all run and are ready', () => {
    expect(pods.map(({ metadata }) => metadata.name).sort()).toEqual(names.map(onNode).sort());
  });

  it('have sandboxes with the names and labels that a kubelet gives', async () => {
    const { sandboxes } = await listRuntime(node.runtime.cri);
    expect(sandboxes).toHaveLength(names.length);
    const { uid } = (await podOf('hello')).metadata;
    const sandbox = sandboxes.find(isOfPod(onNode('hello')));
    expect(sandbox).toMatchObject({
      metadata: { name: onNode('hello'), namespace: 'default', uid, attempt: 0 },
      labels: {
        app: 'hello',
        'io.kubernetes.pod.name': onNode('hello'),
        'io.kubernetes.pod.namespace': 'default',
        'io.kubernetes.pod.uid': uid,
      },
      annotations: {
        'kubernetes.io/config.source': 'file',
        'kubernetes.io/config.seen': expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
        'kubernetes.io/config.hash': uid,
      },
    });
  });

  it('have containers with the names, labels, annotations and log paths that a kubelet gives', async () => {
    const { uid } = (await podOf('limited')).metadata;
    const container = await containerOf('limited', 'counter');
    expect(container).toMatchObject({
      metadata: { name: 'counter', attempt: 0 },
      labels: {
        'io.kubernetes.container.name': 'counter',
        'io.kubernetes.pod.name': onNode('limited'),
        'io.kubernetes.pod.namespace': 'default',
        'io.kubernetes.pod.uid': uid,
      },
      annotations: {
        'io.kubernetes.container.hash': expect.stringMatching(/^[0-9a-f]{1,8}$/) as string,
        'io.kubernetes.container.restartCount': '0',
        'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
        'io.kubernetes.container.terminationMessagePolicy': 'File',
        'io.kubernetes.pod.terminationGracePeriod': '5',
      },
    });
    const { status } = await statusOf(container.id);
    const { podLogs } = node.folder;
    expect(status.logPath).toBe(`${podLogs}/default_${onNode('limited')}_${uid}/counter/0.log`);
  });

  it('have mounts for the hosts file and the termination message', async () => {
    const { status } = await statusOf((await containerOf('hello', 'hello')).id);
    const { uid } = (await podOf('hello')).metadata;
    const podDir = `${node.folder.rootDir}/pods/${uid}`;
    expect(status.mounts.map(({ containerPath, hostPath }) => [containerPath, hostPath])).toEqual(
      expect.arrayContaining([
        ['/etc/hosts', `${podDir}/etc-hosts`],
        ['/dev/termination-log', expect.stringMatching(`^${podDir}/containers/hello/[0-9a-f]{8}$`) as string],
      ]),
    );
  });

  it("have the runtime's address in their status and in their hosts file", async () => {
    const pod = await podOf('hello');
    const sandbox = (await listRuntime(node.runtime.cri)).sandboxes.find(isOfPod(onNode('hello')));
    const { status } = await node.runtime.cri.call(
      runtime.podSandboxStatus,
      PodSandboxStatusRequest.create({ podSandboxId: sandbox?.id ?? '' }),
    );
    const ip = status?.network?.ip;
    expect(ip).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(pod.status?.podIP).toBe(ip);
    expect(pod.status?.podIPs).toEqual([{ ip }]);
    const hosts = await readFile(`${node.folder.rootDir}/pods/${pod.metadata.uid}/etc-hosts`, 'utf8');
    expect(hosts.trimEnd().split('\n').at(-1)).toBe(`${ip}\t${onNode('hello')}`);
  });

  it('show in their status which containers they are', async () => {
    const pod = await podOf('init-and-two');
    expect(pod.status).toMatchObject({ phase: 'Running', qosClass: 'BestEffort' });
    for (const name of ['web', 'visitor']) {
      expect(pod.status?.containerStatuses?.find((each) => each.name === name)).toMatchObject({
        ready: true,
        started: true,
        restartCount: 0,
        containerID: expect.stringMatching(`://${(await containerOf('init-and-two', name)).id}$`) as string,
      });
    }
  });

  it('are listed by `hivelet get pods`', async () => {
    const table = await hivelet(node.folder, 'get', 'pods');
    for (const name of names) {
      expect(table).toMatch(new RegExp(`^${onNode(name)}\\s+(\\d)/\\1\\s+Running\\s+0`, 'm'));
    }
  });

  // oxlint-disable-next-line vitest/no-conditional-tests -- simulated containers have no processes
  if (kind === 'containerd') {
    it('ran their init container to its end before the other containers started', async () => {
      const init = await statusOf((await containerOf('init-and-two', 'prepare')).id);
      const web = await statusOf((await containerOf('init-and-two', 'web')).id);
      expect(init.status).toMatchObject({ exitCode: 0, reason: 'Completed' });
      expect(web.status.createdAt).toBeGreaterThan(init.status.finishedAt);
      expect((await podOf('init-and-two')).status?.initContainerStatuses?.[0]).toMatchObject({
        ready: true,
        state: { terminated: { exitCode: 0, reason: 'Completed' } },
      });
    });

    it('write their pod’s fields into their log files, in CRI format', async () => {
      const { status } = await statusOf((await containerOf('self-aware', 'mirror')).id);
      const lines = (await readFile(status.logPath, 'utf8')).split('\n').map((line) => line.replace(/^\S+Z /, ''));
      expect(lines).toEqual(
        expect.arrayContaining([
          `stdout F I am default/${onNode('self-aware')} on ${NODE_NAME}`,
          `stdout F POD_NAME=${onNode('self-aware')}`,
          `stdout F MEMORY_LIMIT=${32 * MiB}`,
          `stdout F HOSTNAME=${onNode('self-aware')}`,
        ]),
      );
    });

    it('are limited by their cgroup', async () => {
      const { status, info } = await statusOf((await containerOf('limited', 'counter')).id);
      expect(status.resources?.linux ?? linuxResources(info)).toMatchObject({
        memoryLimitInBytes: BigInt(32 * MiB),
        cpuQuota: 20_000n,
        cpuPeriod: 100_000n,
        cpuShares: 51n,
      });
      const { pid } = JSON.parse(info['info'] ?? '{}') as { pid: number };
      expect(await memoryLimitOf(pid)).toBe(String(32 * MiB));
      const { uid } = (await podOf('limited')).metadata;
      expect(await readFile(`/proc/${pid}/cgroup`, 'utf8')).toContain(
        `:${node.folder.cgroupRoot}/kubepods/burstable/pod${uid}/`,
      );
    });

    it("are limited as a whole by the pod's cgroup, and by the cgroup of their QoS class", async () => {
      const { uid } = (await podOf('limited')).metadata;
      const ofClass = (name: string): string => `${node.folder.cgroupRoot}/kubepods/${name}`;
      const ofPod = `${ofClass('burstable')}/pod${uid}`;
      expect(await cgroupValues(ofPod)).toEqual(IS_CGROUP_V2 ? LIMITED_V2 : LIMITED_V1);
      expect(await cgroupValues(ofClass('burstable'))).toMatchObject(IS_CGROUP_V2 ? { weight: '2' } : { shares: '51' });
      expect(await cgroupValues(ofClass('besteffort'))).toMatchObject(IS_CGROUP_V2 ? { weight: '1' } : { shares: '2' });
    });
  }
});

async function nameInManifest(file: string): Promise<string> {
  const manifest = parse(await readFile(join(EXAMPLES, file), 'utf8')) as { metadata: { name: string } };
  return manifest.metadata.name;
}

/** From containerd's own output, for versions whose CRI status lacks the fields. */
function linuxResources(info: Readonly<Record<string, string>>) {
  const { runtimeSpec } = JSON.parse(info['info'] ?? '{}') as {
    runtimeSpec: {
      linux: { resources: { memory: { limit: number }; cpu: { quota: number; period: number; shares: number } } };
    };
  };
  const { memory, cpu } = runtimeSpec.linux.resources;
  return {
    memoryLimitInBytes: BigInt(memory.limit),
    cpuQuota: BigInt(cpu.quota),
    cpuPeriod: BigInt(cpu.period),
    cpuShares: BigInt(cpu.shares),
  };
}

const IS_CGROUP_V2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
const LIMITED_V1 = { shares: '51', quota: '20000', period: '100000', memory: String(32 * MiB) };
const LIMITED_V2 = { weight: '2', max: '20000 100000', memory: String(32 * MiB) };

/** The limits of a cgroup in the kernel. */
async function cgroupValues(cgroup: string): Promise<Readonly<Record<string, string>>> {
  const files: Readonly<Record<string, string>> = IS_CGROUP_V2
    ? { weight: `${cgroup}/cpu.weight`, max: `${cgroup}/cpu.max`, memory: `${cgroup}/memory.max` }
    : {
        shares: `cpu${cgroup}/cpu.shares`,
        quota: `cpu${cgroup}/cpu.cfs_quota_us`,
        period: `cpu${cgroup}/cpu.cfs_period_us`,
        memory: `memory${cgroup}/memory.limit_in_bytes`,
      };
  const values = Object.entries(files).map(
    async ([name, file]) => [name, (await readFile(join('/sys/fs/cgroup', file), 'utf8')).trim()] as const,
  );
  return Object.fromEntries(await Promise.all(values));
}

/** The limit on memory that the kernel enforces on a process, in whichever cgroup hierarchy. */
async function memoryLimitOf(pid: number): Promise<string> {
  const lines = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).trim().split('\n');
  const v1 = lines.find((line) => /^\d+:[^:]*\bmemory\b[^:]*:/.test(line));
  const file =
    v1 === undefined
      ? `/sys/fs/cgroup${lines[0]?.replace(/^0::/, '')}/memory.max`
      : `/sys/fs/cgroup/memory${v1.replace(/^\d+:[^:]*:/, '')}/memory.limit_in_bytes`;
  return (await readFile(file, 'utf8')).trim();
}
