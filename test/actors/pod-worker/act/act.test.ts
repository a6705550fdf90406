import { describe, expect, it } from 'vitest';
import { act } from '../../../../actors/pod-worker/act/act.ts';
import { terminationFileName } from '../../../../src/pod/status/termination-message.ts';
import { containerId, sandboxId } from '../../../../src/kube/ids.ts';
import { ImageStatusResponse } from '../../../../src/cri/gen/api.ts';
import { container, exited, pod, record, runtime, sandbox, sidecar, type PodParts } from '../../../pod/pods.ts';
import { FakeCriClient, criFault } from '../../../support/fake-cri-client.ts';
import { settled } from '../../../support/manual-clock.ts';
import { actions, attemptWith, fakeTools, node } from '../effects-support.ts';

const NEW = { createSandbox: true, killPod: true, sandboxId: undefined } as const;
const nothing = runtime({ sandboxes: [] });
const podDirectory = '/var/lib/kubelet/pods/uid-1';

async function acted(
  parts: PodParts,
  wanted: Parameters<typeof actions>[0],
  { cri = new FakeCriClient(), holds = nothing, cancelAt = '' } = {},
) {
  const fakes = fakeTools(cri);
  const progress: unknown[] = [];
  const decided = { actions: actions(wanted), runtime: holds };
  const attempt = fakes.attempt(pod(parts), decided, (observed) => void progress.push(observed));
  if (cancelAt !== '') {
    const call = cri.call.bind(cri);
    cri.call = (method, request, options) => {
      if (method === cancelAt) attempt.cancel();
      return call(method, request, options);
    };
  }
  return { ...fakes, progress, result: await act(attempt) };
}

describe('a sync attempt for a new pod', () => {
  it('creates the sandbox, then pulls, creates and starts each container in turn', async () => {
    const containers = [container('a'), container('b')];
    const { cri, looks, progress, result } = await acted({ containers }, { ...NEW, containersToStart: [0, 1] });
    expect(cri.methods).toEqual([
      'RunPodSandbox',
      'ImageStatus',
      'ImageStatus',
      'CreateContainer',
      'StartContainer',
      'ImageStatus',
      'ImageStatus',
      'CreateContainer',
      'StartContainer',
    ]);
    expect(looks).toEqual([{ sandboxes: ['new-sandbox-1'], containers: [] }]);
    expect(progress).toHaveLength(1);
    expect(result).toMatchObject({ podFailure: undefined, inDoubt: false });
    expect([...result.tried]).toEqual(['a', 'b']);
    expect([...result.failures]).toEqual([]);
    expect(result.touched.containers).toEqual([
      ['new-container-1', 'new-sandbox-1'],
      ['new-container-2', 'new-sandbox-1'],
    ]);
  });

  it('starts an init container alone if nothing else was decided', async () => {
    const parts = { initContainers: [container('first'), container('second')] };
    const { cri } = await acted(parts, { ...NEW, initContainersToStart: [0] });
    expect(cri.requests('CreateContainer').map(({ config }) => config?.metadata?.name)).toEqual(['first']);
  });

  it('keeps the order ephemeral, init, regular', async () => {
    const parts = {
      initContainers: [sidecar('side')],
      ephemeralContainers: [container('debug')],
      containers: [container('main')],
    };
    const wanted = { ephemeralContainersToStart: [0], initContainersToStart: [0], containersToStart: [0] };
    const { cri } = await acted(parts, wanted, { holds: runtime() });
    expect(cri.requests('CreateContainer').map(({ config }) => config?.metadata?.name)).toEqual([
      'debug',
      'side',
      'main',
    ]);
  });

  it('creates no ephemeral container whose target was never created', async () => {
    const debug = { ...container('debug'), targetContainerName: 'main' };
    const wanted = { ephemeralContainersToStart: [0] };
    const { cri, result } = await acted({ ephemeralContainers: [debug] }, wanted, { holds: runtime() });
    expect(cri.requests('CreateContainer')).toEqual([]);
    expect(result.failures.get('debug')).toMatchObject({
      reason: 'CreateContainerConfigError',
      message: 'unable to find target container main',
    });
  });

  it('continues with regular containers after a failed sidecar, but not after a failed init container', async () => {
    const failing = () =>
      new FakeCriClient({ CreateContainer: (_, times) => (times === 1 ? 'INVALID_ARGUMENT' : undefined) });
    const wanted = { initContainersToStart: [0], containersToStart: [0] };
    const holds = runtime();
    const side = await acted({ initContainers: [sidecar('side')] }, wanted, { cri: failing(), holds });
    expect([...side.result.tried]).toEqual(['side', 'main']);
    const init = await acted({ initContainers: [container('init')] }, wanted, { cri: failing(), holds });
    expect([...init.result.tried]).toEqual(['init']);
  });

  it('makes the directories, hosts file and termination file before the container', async () => {
    const { files } = await acted(
      { containers: [container('main', { terminationMessagePath: '/dev/termination-log' })] },
      { ...NEW, containersToStart: [0] },
    );
    expect([...files.directories]).toEqual([
      ['/var/log/pods/shop_web_uid-1', 0o755],
      ['/var/log/pods/shop_web_uid-1/main', 0o755],
      [`${podDirectory}/containers/main`, 0o750],
    ]);
    const message = `${podDirectory}/containers/main/${terminationFileName('uid-1', 'main', 0)}`;
    expect(files.files.get(message)).toEqual({ text: '', mode: 0o666 });
    expect(files.files.get(`${podDirectory}/etc-hosts`)?.text).toContain('10.0.0.7\tweb');
  });

  it('mounts the termination file under the name by which it is found later', async () => {
    const { cri } = await acted(
      { containers: [container('main', { terminationMessagePath: '/dev/termination-log' })] },
      { ...NEW, containersToStart: [0] },
    );
    const mounts = cri.requests('CreateContainer')[0]?.config?.mounts ?? [];
    expect(mounts.find(({ containerPath }) => containerPath === '/dev/termination-log')?.hostPath).toBe(
      `${podDirectory}/containers/main/${terminationFileName('uid-1', 'main', 0)}`,
    );
  });

  it('gives the sandbox twice the time of an ordinary call', async () => {
    const { cri } = await acted({}, { ...NEW, containersToStart: [0] });
    expect(cri.of('RunPodSandbox')[0]?.options).toEqual({ podUid: 'uid-1', timeoutMs: 240_000 });
  });
});

describe('the restart count of a container', () => {
  it.each([
    { rule: 'is 0 the first time', holds: runtime(), logs: [], count: 0 },
    {
      rule: 'is one more than that of the newest instance',
      holds: runtime({ containers: [exited('main', 1, { attempt: 4 }), exited('main', 1, { attempt: 3 })] }),
      logs: ['7.log'],
      count: 5,
    },
    { rule: 'follows the log files if no instance is left', holds: runtime(), logs: ['0.log', '2.log.1'], count: 3 },
  ])('$rule', async ({ holds, logs, count }) => {
    const fakes = fakeTools();
    for (const name of logs)
      fakes.files.files.set(`/var/log/pods/shop_web_uid-1/main/${name}`, { text: '', mode: 0o644 });
    await act(fakes.attempt(pod(), { actions: actions({ containersToStart: [0] }), runtime: holds }));
    const config = fakes.cri.requests('CreateContainer')[0]?.config;
    expect(config?.metadata?.attempt).toBe(count);
    expect(config?.logPath).toBe(`main/${count}.log`);
    expect(config?.annotations?.['io.kubernetes.container.restartCount']).toBe(String(count));
  });
});

describe('a container that was created and never started', () => {
  const created = (parts = {}) => runtime({ containers: [record('main', 'created', parts)] });

  it('is started, and not created again', async () => {
    const { cri } = await acted({}, { containersToStart: [0] }, { holds: created() });
    expect(cri.methods).toEqual(['StartContainer']);
    expect(cri.requests('StartContainer')).toEqual([{ containerId: 'main-0' }]);
  });

  it.each([
    { rule: 'of another definition', parts: { hash: 'other' } },
    { rule: 'of another sandbox', parts: { sandboxId: sandboxId('older') } },
  ])('is created again $rule', async ({ parts }) => {
    const { cri } = await acted({}, { containersToStart: [0] }, { holds: created(parts) });
    expect(cri.methods).toEqual(['ImageStatus', 'ImageStatus', 'CreateContainer', 'StartContainer']);
  });

  describe('whose start the runtime has refused', () => {
    const refused = { reason: 'RunContainerError', message: 'no', until: undefined, left: containerId('main-0') };
    async function startedAgain(cri: FakeCriClient) {
      const fakes = fakeTools(cri);
      const attempt = fakes.attempt(pod(), {
        actions: actions({ containersToStart: [0] }),
        runtime: created(),
        memory: { failedPulls: new Map(), failures: new Map([['main', refused]]) },
      });
      return { ...fakes, result: await act(attempt) };
    }

    it('is removed, and its next instance is created and started', async () => {
      const { cri } = await startedAgain(new FakeCriClient());
      expect(cri.methods.filter((method) => method.endsWith('Container'))).toEqual([
        'RemoveContainer',
        'CreateContainer',
        'StartContainer',
      ]);
      expect(cri.requests('RemoveContainer')).toEqual([{ containerId: 'main-0' }]);
      expect(cri.requests('CreateContainer')[0]?.config?.metadata?.attempt).toBe(1);
    });

    it('is removed with the next try, if it cannot be removed now', async () => {
      const { cri, result } = await startedAgain(new FakeCriClient({ RemoveContainer: () => 'INTERNAL' }));
      expect(cri.methods).not.toContain('CreateContainer');
      expect(result.failures.get('main')).toMatchObject({ reason: 'RunContainerError', left: 'main-0' });
    });

    it.each([
      { fault: 'NOT_FOUND', made: true, inDoubt: false },
      { fault: 'DEADLINE_EXCEEDED', made: false, inDoubt: true },
    ] as const)('is gone already, or perhaps: $fault', async ({ fault, made, inDoubt }) => {
      const { cri, result } = await startedAgain(new FakeCriClient({ RemoveContainer: () => fault }));
      expect(cri.methods.includes('CreateContainer')).toBe(made);
      expect(result.inDoubt).toBe(inDoubt);
    });
  });

  it('waits for the usual error delay when its start fails, and is not started a second time', async () => {
    const cri = new FakeCriClient({ StartContainer: () => 'FAILED_PRECONDITION' });
    const { result, said } = await acted({}, { containersToStart: [0] }, { cri, holds: created() });
    expect(result.failures.get('main')).toMatchObject({ reason: 'RunContainerError', left: 'main-0' });
    expect(result.touched.containers).toEqual([['main-0', 'sandbox-0']]);
    expect(said()).toEqual([]);
  });
});

describe('a container that fails to start', () => {
  it.each([
    { reason: 'CreateContainerError', cri: { CreateContainer: () => 'INVALID_ARGUMENT' as const }, left: {} },
    {
      reason: 'RunContainerError',
      cri: { StartContainer: () => 'UNKNOWN' as const },
      left: { left: expect.any(String) },
    },
  ])('shows $reason and the message of the runtime', async ({ reason, cri, left }) => {
    const { result, said } = await acted(
      {},
      { containersToStart: [0] },
      { cri: new FakeCriClient(cri), holds: runtime() },
    );
    expect(result.failures.get('main')).toEqual({
      reason,
      message: expect.stringContaining('it said'),
      until: undefined,
      ...left,
    });
    expect(said().at(-1)).toMatch(/^Failed: Error: it said/);
  });

  it('shows CreateContainerConfigError for an error in its spec, without a call to the runtime', async () => {
    const parts = { securityContext: { runAsNonRoot: true }, containers: [container('main')] };
    const cri = new FakeCriClient({
      ImageStatus: () => ({
        ok: true,
        value: ImageStatusResponse.fromPartial({ image: { id: 'sha256:1', uid: { value: 0n } } }),
      }),
    });
    const { result } = await acted(parts, { containersToStart: [0] }, { cri, holds: runtime() });
    expect(result.failures.get('main')?.reason).toBe('CreateContainerConfigError');
    expect(cri.methods).toEqual(['ImageStatus', 'ImageStatus']);
  });

  it('shows CreateContainerConfigError when its files cannot be written', async () => {
    const fakes = fakeTools();
    fakes.files.full = new Error('no space left on device');
    const result = await act(
      fakes.attempt(pod(), { actions: actions({ containersToStart: [0] }), runtime: runtime() }),
    );
    expect(result.failures.get('main')).toMatchObject({
      reason: 'CreateContainerConfigError',
      message: expect.stringContaining('no space left'),
    });
  });

  it('does not hold up the other containers', async () => {
    const cri = new FakeCriClient({ CreateContainer: (_, times) => (times === 1 ? 'UNKNOWN' : undefined) });
    const containers = [container('a'), container('b')];
    const { result } = await acted({ containers }, { containersToStart: [0, 1] }, { cri, holds: runtime() });
    expect([...result.failures.keys()]).toEqual(['a']);
    expect(cri.requests('StartContainer')).toHaveLength(1);
  });
});

describe('an image that cannot be pulled', () => {
  it('is not pulled again for the next container of the same attempt', async () => {
    const cri = new FakeCriClient({
      ImageStatus: () => ({ ok: true, value: ImageStatusResponse.fromPartial({}) }),
      PullImage: () => 'NOT_FOUND',
    });
    const containers = [container('a'), container('b')];
    const { result } = await acted({ containers }, { containersToStart: [0, 1] }, { cri, holds: runtime() });
    expect(cri.requests('PullImage')).toHaveLength(1);
    expect([...result.failures].map(([name, { reason }]) => `${name} ${reason}`)).toEqual([
      'a ErrImagePull',
      'b ImagePullBackOff',
    ]);
    expect(result.failedPulls.size).toBe(1);
  });
});

describe("the node's resolver file", () => {
  const RESOLV_CONF = '/etc/resolv.conf';
  const askedServers = async (text: string | undefined, policy: 'Default' | 'ClusterFirst' | 'None' = 'Default') => {
    const fakes = fakeTools();
    if (text !== undefined) fakes.files.writeFile(RESOLV_CONF, text, 0o644);
    const node = { ...fakes.tools.node, resolvConf: 'nameserver 192.0.2.1\n', resolvConfPath: RESOLV_CONF };
    const attempt = attemptWith(
      { ...fakes.tools, node },
      {
        pod: pod({ dnsPolicy: policy }),
        actions: actions({ ...NEW, containersToStart: [0] }),
        runtime: nothing,
      },
    );
    await act(attempt);
    return { ...fakes, servers: fakes.cri.requests('RunPodSandbox').map(({ config }) => config?.dnsConfig?.servers) };
  };

  it('is read for each sandbox, as the file is then', async () => {
    expect((await askedServers('nameserver 192.0.2.2\n')).servers).toEqual([['192.0.2.2']]);
  });

  it.each(['Default', 'ClusterFirst', 'None'] as const)(
    'that cannot be read keeps a pod of policy %s waiting',
    async (policy) => {
      const { servers, said } = await askedServers(undefined, policy);
      expect(servers).toEqual([]);
      expect(said()).toEqual([
        'FailedCreatePodSandBox: Failed to create pod sandbox: the resolver file of the node, /etc/resolv.conf (resolvConf), cannot be read',
      ]);
    },
  );
});

describe('a sandbox that cannot be created', () => {
  it('ends the attempt with the message of the runtime', async () => {
    const cri = new FakeCriClient({ RunPodSandbox: () => criFault('UNKNOWN', 'no address left') });
    const { result, said } = await acted({}, { ...NEW, containersToStart: [0] }, { cri });
    expect(result.podFailure).toBe('Failed to create pod sandbox: rpc error: code = Unknown desc = no address left');
    expect(said()).toEqual([
      'FailedCreatePodSandBox: Failed to create pod sandbox: rpc error: code = Unknown desc = no address left',
    ]);
    expect(cri.methods).toEqual(['RunPodSandbox']);
  });

  it('is inspected again if it was created and could not be inspected', async () => {
    const fakes = fakeTools();
    fakes.seen.next = criFault('INTERNAL');
    const result = await act(
      fakes.attempt(pod(), { actions: actions({ ...NEW, containersToStart: [0] }), runtime: nothing }),
    );
    expect(result).toMatchObject({ podFailure: expect.any(String), touched: { sandboxes: ['new-sandbox-1'] } });
  });

  it('is not created for a UID that leads out of the pods directory', async () => {
    const { cri, files, result } = await acted({ metadata: { uid: '../../etc' } }, { ...NEW, containersToStart: [0] });
    expect(result.podFailure).toContain('cannot be the name of a directory');
    expect(cri.methods).toEqual([]);
    expect([...files.directories.keys()].filter((path) => path.includes('pods/..'))).toEqual([]);
  });
});

describe('a call that was lost on its way', () => {
  it.each([
    { rule: 'the sandbox', cri: { RunPodSandbox: () => 'INTERRUPTED' as const }, last: 'RunPodSandbox' },
    { rule: 'the creation', cri: { CreateContainer: () => 'DEADLINE_EXCEEDED' as const }, last: 'CreateContainer' },
    { rule: 'the start', cri: { StartContainer: () => 'UNAVAILABLE' as const }, last: 'StartContainer' },
    {
      rule: 'an earlier call for the same name, which is still under way',
      cri: {
        CreateContainer: () => criFault('UNKNOWN', 'failed to reserve container name: name "x" is reserved for "1"'),
      },
      last: 'CreateContainer',
    },
  ])('leaves the attempt in doubt, and ends it: $rule', async ({ cri, last }) => {
    const fake = new FakeCriClient(cri);
    const containers = [container('a'), container('b')];
    const { result } = await acted({ containers }, { ...NEW, containersToStart: [0, 1] }, { cri: fake });
    expect(result.inDoubt).toBe(true);
    expect([...result.failures]).toEqual([]);
    expect(fake.methods.at(-1)).toBe(last);
  });
});

describe('a call that never reached the runtime', () => {
  const noImage = { ok: true as const, value: ImageStatusResponse.fromPartial({}) };

  it.each([
    { of: 'an image', cri: { ImageStatus: () => 'NOT_MADE' as const } },
    { of: 'a pull', cri: { ImageStatus: () => noImage, PullImage: () => 'NOT_MADE' as const } },
    { of: 'the creation', cri: { CreateContainer: () => 'NOT_MADE' as const } },
    { of: 'the start', cri: { StartContainer: () => 'NOT_MADE' as const } },
  ])('ends the attempt without a failure of the container: $of', async ({ cri }) => {
    const fake = new FakeCriClient(cri);
    const containers = [container('a'), container('b')];
    const { result } = await acted({ containers }, { ...NEW, containersToStart: [0, 1] }, { cri: fake });
    expect(result).toMatchObject({ inDoubt: false, podFailure: undefined });
    expect([...result.tried]).toEqual([]);
    expect([...result.failures]).toEqual([['a', expect.objectContaining({ reason: 'ContainerCreating' })]]);
    expect([...result.failedPulls]).toEqual([]);
  });

  it('leaves the containers started before it without a failure', async () => {
    const containers = [container('a'), container('b')];
    let creations = 0;
    const cri = new FakeCriClient({
      CreateContainer: () => (++creations === 1 ? undefined : ('NOT_MADE' as const)),
    });
    const { result } = await acted({ containers }, { ...NEW, containersToStart: [0, 1] }, { cri });
    expect([...result.tried]).toEqual(['a']);
    expect([...result.failures.keys()]).toEqual(['b']);
  });
});

describe('a cancelled sync attempt', () => {
  const containers = [container('a'), container('b')];

  it.each([
    {
      at: 'CreateContainer',
      made: ['RunPodSandbox', 'ImageStatus', 'ImageStatus', 'CreateContainer'],
      touched: { sandboxes: [], containers: [['new-container-1', 'new-sandbox-1']] },
    },
    {
      at: 'StartContainer',
      made: ['RunPodSandbox', 'ImageStatus', 'ImageStatus', 'CreateContainer', 'StartContainer'],
      touched: { sandboxes: [], containers: [['new-container-1', 'new-sandbox-1']] },
    },
  ])('during $at begins nothing more, and reports everything it created', async ({ at, made, touched }) => {
    const { cri, result } = await acted({ containers }, { ...NEW, containersToStart: [0, 1] }, { cancelAt: at });
    expect(cri.methods).toEqual(made);
    expect(result.touched).toEqual(touched);
  });

  it('does not wait for a sandbox, and reports that a sandbox may exist', async () => {
    const cri = new FakeCriClient({ RunPodSandbox: () => new Promise(() => {}) });
    const { result } = await acted(
      { containers },
      { ...NEW, containersToStart: [0] },
      { cri, cancelAt: 'RunPodSandbox' },
    );
    expect(cri.methods).toEqual(['RunPodSandbox']);
    expect(result.inDoubt).toBe(true);
  });

  it('does not wait for an image', async () => {
    const cri = new FakeCriClient({ PullImage: () => new Promise(() => {}) });
    const parts = { containers: [container('a', { imagePullPolicy: 'Always' })] };
    const { result } = await acted(parts, { containersToStart: [0] }, { cri, cancelAt: 'PullImage', holds: runtime() });
    expect([...result.failures]).toEqual([]);
  });
});

describe('a sync attempt that stops containers first', () => {
  const running = runtime({ containers: [record('main')] });

  it('stops the whole old sandbox, and forgets its init containers, before the new sandbox', async () => {
    const holds = runtime({
      sandboxes: [sandbox({ state: 'not-ready' })],
      containers: [exited('init', 0), record('main')],
    });
    const wanted = { killPod: true, createSandbox: true, attempt: 1, initContainersToStart: [0] };
    const { cri } = await acted({ initContainers: [container('init')] }, wanted, { holds });
    expect(cri.methods.slice(0, 4)).toEqual(['StopContainer', 'StopPodSandbox', 'RemoveContainer', 'RunPodSandbox']);
    expect(cri.requests('RemoveContainer')).toEqual([{ containerId: 'init-0' }]);
  });

  it('ends when a container cannot be stopped', async () => {
    const cri = new FakeCriClient({ StopContainer: () => 'INTERNAL' });
    const why = { id: containerId('main-0'), name: 'main', reason: 'definition-changed', message: 'changed' } as const;
    const wanted = { containersToKill: [why], containersToStart: [0] };
    const { result } = await acted({}, wanted, { cri, holds: running });
    expect(cri.methods).toEqual(['StopContainer']);
    expect(result.podFailure).toBe(
      'failed to "KillContainer" for "main" with KillContainerError: "rpc error: code = Internal desc = it said INTERNAL"',
    );
    expect(result.touched.containers).toEqual([['main-0', 'sandbox-0']]);
  });
});

describe("a pod's cgroup", () => {
  const limited = { containers: [container('main', { resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } })] };
  const path = '/kubepods/burstable/poduid-1';
  const brought = async (prepare: (fakes: ReturnType<typeof fakeTools>) => void = () => {}, managesCgroups = true) => {
    const fakes = fakeTools();
    prepare(fakes);
    const decided = { pod: pod(limited), actions: actions({ ...NEW, containersToStart: [0] }), runtime: nothing };
    const result = await act(attemptWith({ ...fakes.tools, node: { ...node, managesCgroups } }, decided));
    return { ...fakes, result };
  };

  it('is created with its limits before the sandbox, and counts in the weight of its QoS class', async () => {
    const { cgroups, weights } = await brought();
    expect(cgroups.values.get(path)).toMatchObject({ cpuShares: 1024n, cpuQuota: { microseconds: 200_000n } });
    expect(weights).toEqual([1000n]);
  });

  it('is left unchanged if it exists, and counts in the weight of its QoS class', async () => {
    const { cgroups, weights } = await brought(({ cgroups: known }) => known.set(path, { cpuShares: 7n }));
    expect(cgroups.values.get(path)).toEqual({ cpuShares: 7n });
    expect(weights).toEqual([1000n]);
  });

  it('keeps the whole pod from starting if the kernel rejects it, and the pod shows the reason', async () => {
    const { cri, result, said } = await brought(({ cgroups }) => cgroups.refusals.set(path, 'EINVAL: no'));
    const message = 'unable to ensure pod container exists: EINVAL: no';
    expect(cri.methods).toEqual([]);
    expect(said()).toEqual([`FailedCreatePodContainer: ${message}`]);
    expect(result.podFailure).toBe(message);
  });

  it('is not created on a node without pod cgroups', async () => {
    const { cgroups, weights } = await brought(() => {}, false);
    expect([...cgroups.done, ...weights]).toEqual([]);
  });

  it('is not created for a pod that starts nothing', async () => {
    const { cgroups } = await acted(limited, { killPod: true }, { holds: runtime({ containers: [record('main')] }) });
    expect(cgroups.done).toEqual([]);
  });
});

describe('the volumes of a pod', () => {
  const mounts = [{ name: 'data', mountPath: '/data' }];
  const parts = {
    containers: [container('main', { volumeMounts: mounts })],
    volumes: [{ name: 'data', emptyDir: {} }],
  };

  it('are requested before the sandbox is created', async () => {
    const { cri, volumes } = await acted(parts, { ...NEW, containersToStart: [0] });
    expect(volumes.mounted).toEqual([
      expect.objectContaining({ podUid: 'uid-1', volumes: [{ type: 'empty-dir', name: 'data', medium: 'disk' }] }),
    ]);
    expect(cri.methods[0]).toBe('RunPodSandbox');
  });

  it('keep the whole pod from starting if they cannot be mounted', async () => {
    const fakes = fakeTools();
    fakes.volumes.mountAnswer = { ok: false, message: 'unmounted volumes=[data]' };
    const result = await act(
      fakes.attempt(pod(parts), { actions: actions({ ...NEW, containersToStart: [0] }), runtime: nothing }),
    );
    expect(fakes.cri.methods).toEqual([]);
    expect(result.podFailure).toBe('unmounted volumes=[data]');
  });

  it('are no longer awaited once the pod terminates', async () => {
    const fakes = fakeTools();
    fakes.volumes.mountAnswer = new Promise(() => {});
    const decided = { actions: actions({ ...NEW, containersToStart: [0] }), runtime: nothing };
    const attempt = fakes.attempt(pod(parts), decided);
    const done = act(attempt);
    attempt.cancel();
    const result = await done;
    expect(fakes.cri.methods).toEqual([]);
    expect(result.podFailure).toBeUndefined();
  });

  it.each([
    { what: 'no container mounts it', change: { containers: [container('main')] } },
    {
      what: 'it is a host path of any type',
      change: { volumes: [{ name: 'data', hostPath: { path: '/d' } }] },
    },
    { what: 'it is an image', change: { volumes: [{ name: 'data', image: { reference: 'registry.test/data:1' } }] } },
  ])('are not requested from the volume manager if $what', async ({ change }) => {
    const { volumes } = await acted({ ...parts, ...change }, { ...NEW, containersToStart: [0] });
    expect(volumes.mounted).toEqual([]);
  });

  it('do not keep a running container from being stopped', async () => {
    const holds = runtime({ containers: [record('main')] });
    const { cri, volumes } = await acted(parts, { killPod: true }, { holds });
    expect(cri.methods).toEqual(['StopContainer', 'StopPodSandbox']);
    expect(volumes.mounted).toEqual([]);
  });
});

describe('an image as a volume', () => {
  const reference = 'registry.test/data:1';
  const parts = {
    containers: [container('main', { volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
    volumes: [{ name: 'data', image: { reference, pullPolicy: 'Always' } }],
  };

  it('is pulled before the container’s own image, and mounted by the runtime', async () => {
    const { cri } = await acted(parts, { containersToStart: [0] }, { holds: runtime() });
    expect(cri.methods.slice(0, 3)).toEqual(['PullImage', 'ImageStatus', 'ImageStatus']);
    expect(cri.requests('PullImage')[0]?.image?.image).toBe(reference);
    const [mount] = cri.requests('CreateContainer')[0]?.config?.mounts ?? [];
    expect(mount).toMatchObject({ containerPath: '/data', readonly: true, image: { userSpecifiedImage: reference } });
  });

  it('keeps its container waiting if it cannot be pulled', async () => {
    const cri = new FakeCriClient({ PullImage: () => 'NOT_FOUND' });
    const { result } = await acted(parts, { containersToStart: [0] }, { cri, holds: runtime() });
    expect(result.failures.get('main')?.reason).toBe('ErrImagePull');
    expect(cri.methods).not.toContain('CreateContainer');
  });
});

describe('a volume that is a device', () => {
  const devices = { volumeDevices: [{ name: 'disk', devicePath: '/dev/xvda' }] };
  const parts = {
    containers: [container('main', devices)],
    volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'c' } }],
  };

  it('is given to its container from the path where it is mapped for the pod', async () => {
    const fakes = fakeTools();
    fakes.volumes.mountAnswer = { ok: true, paths: { disk: '/pods/uid-1/volumeDevices/pv-1' } };
    await act(fakes.attempt(pod(parts), { actions: actions({ containersToStart: [0] }), runtime: runtime() }));
    expect(fakes.cri.requests('CreateContainer')[0]?.config?.devices).toEqual([
      { hostPath: '/pods/uid-1/volumeDevices/pv-1', containerPath: '/dev/xvda', permissions: 'mrw' },
    ]);
  });
});

describe('the content of a volume', () => {
  const mounted = (more: object, volume: object): PodParts => ({
    containers: [container('main', { volumeMounts: [{ name: 'data', mountPath: '/data', ...more }] })],
    volumes: [{ name: 'data', ...volume }],
  });
  /** What the volume manager and the runtime saw, in order. */
  async function seen(parts: PodParts, script: ConstructorParameters<typeof FakeCriClient>[0] = {}) {
    const order: string[] = [];
    const note = (method: 'CreateContainer' | 'StartContainer') => () => void order.push(method);
    const fakes = fakeTools(
      new FakeCriClient({
        CreateContainer: note('CreateContainer'),
        StartContainer: note('StartContainer'),
        ...script,
      }),
    );
    const { volumes } = fakes;
    const holdContent = volumes.holdContent.bind(volumes);
    const releaseContent = volumes.releaseContent.bind(volumes);
    const bind = volumes.bind.bind(volumes);
    volumes.holdContent = (start) => (order.push(`hold ${start.container}`), holdContent(start));
    volumes.releaseContent = (start) => (order.push(`release ${start.container}`), releaseContent(start));
    volumes.bind = (binds) => (order.push('bind'), bind(binds));
    await act(fakes.attempt(pod(parts), { actions: actions({ containersToStart: [0] }), runtime: runtime() }));
    return order;
  }

  it.each<[string, object]>([
    ['configMap', { configMap: { name: 'c' } }],
    ['secret', { secret: { secretName: 's' } }],
    ['downwardAPI', { downwardAPI: { items: [] } }],
    ['projected', { projected: { sources: [] } }],
  ])('is held from before a container gets it until the runtime has answered: %s', async (_, volume) => {
    const whole = ['hold main', 'CreateContainer', 'StartContainer', 'release main'];
    expect(await seen(mounted({}, volume))).toEqual(whole);
    expect(await seen(mounted({ subPath: 'k' }, volume))).toEqual(['hold main', 'bind', ...whole.slice(1)]);
  });

  it('is not held for a volume whose content only containers change, nor for another container', async () => {
    expect(await seen(mounted({}, { emptyDir: {} }))).toEqual(['CreateContainer', 'StartContainer']);
    expect(await seen(mounted({ name: 'other' }, { configMap: { name: 'c' } }))).not.toContain('hold main');
  });

  it.each([
    ['refuses to create it', { CreateContainer: () => 'INVALID_ARGUMENT' as const }, true],
    ['refuses to start it', { StartContainer: () => 'INVALID_ARGUMENT' as const }, true],
    ['does not answer its creation', { CreateContainer: () => 'DEADLINE_EXCEEDED' as const }, false],
    ['does not answer its start', { StartContainer: () => 'UNAVAILABLE' as const }, false],
  ])('when the runtime %s', async (_, script, isReleased) => {
    const order = await seen(mounted({}, { configMap: { name: 'c' } }), script);
    expect(order[0]).toBe('hold main');
    expect(order.includes('release main')).toBe(isReleased);
  });
});

describe('a subPath of a volume', () => {
  const mounts = [{ name: 'data', mountPath: '/data', subPath: 'a' }];
  const parts = {
    containers: [container('main', { volumeMounts: mounts })],
    volumes: [{ name: 'data', emptyDir: {} }],
  };

  it('is bound before its container is created, which mounts the bound path', async () => {
    const { cri, volumes } = await acted(parts, { containersToStart: [0] }, { holds: runtime() });
    const volumePath = `${podDirectory}/volumes/kubernetes.io~empty-dir/data`;
    expect(volumes.bound).toEqual([
      { podUid: 'uid-1', container: 'main', binds: [{ volume: 'data', index: 0, subPath: 'a', volumePath }] },
    ]);
    const [mount] = cri.requests('CreateContainer')[0]?.config?.mounts ?? [];
    expect(mount?.hostPath).toBe(`${podDirectory}/volume-subpaths/data/main/0`);
  });

  it('keeps its container from being created if it cannot be bound', async () => {
    const fakes = fakeTools();
    fakes.volumes.bindAnswer = { ok: false, message: 'failed to prepare subPath' };
    const result = await act(
      fakes.attempt(pod(parts), { actions: actions({ containersToStart: [0] }), runtime: runtime() }),
    );
    expect(result.failures.get('main')).toMatchObject({
      reason: 'CreateContainerConfigError',
      message: 'failed to prepare subPath',
    });
    expect(fakes.cri.methods).not.toContain('CreateContainer');
  });
});

describe('a pod that waits for its turn to write files', () => {
  it.each([
    {
      files: 'of its sandbox',
      wanted: { ...NEW, containersToStart: [0] },
      holds: nothing,
      next: 'RunPodSandbox' as const,
    },
    { files: 'of a container', wanted: { containersToStart: [0] }, holds: runtime(), next: 'CreateContainer' as const },
  ])(
    'writes no files $files before its turn, and none at all if the attempt is cancelled by then',
    async ({ wanted, holds, next }) => {
      for (const end of ['goes on', 'is to go'] as const) {
        const fakes = fakeTools();
        const turn = Promise.withResolvers<void>();
        const tools = { ...fakes.tools, host: { ...fakes.tools.host, ownTurn: () => turn.promise } };
        const attempt = attemptWith(tools, { pod: pod(), actions: actions(wanted), runtime: holds });
        const done = act(attempt);
        await settled();
        expect([...fakes.files.directories.keys()]).toEqual([]);
        if (end === 'is to go') attempt.cancel();
        turn.resolve();
        await done;
        expect(fakes.files.directories.size > 0).toBe(end === 'goes on');
        expect(fakes.cri.methods.includes(next)).toBe(end === 'goes on');
      }
    },
  );
});
