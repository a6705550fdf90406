import { COMMON_RULES } from '../../../../src/node/admission/pod-admission.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { NodeAdmission } from '../../../../actors/pod-manager/admission/admission.ts';
import type { PodManagerEffect } from '../../../../actors/pod-manager/effects.ts';
import { Resizes } from '../../../../actors/pod-manager/admission/resizes.ts';
import { podUid } from '../../../../src/kube/ids.ts';
import type { Pod } from '../../../../src/kube/pod.ts';
import { requestedResizes, resourcesOf, type AllocatedResources } from '../../../../src/pod/sync/pod-resizes.ts';
import { container, pod } from '../../../pod/pods.ts';

const node = {
  name: 'node',
  labels: {},
  os: 'linux',
  allocatable: { cpu: '4', memory: '8Gi', pods: '10' },
  taints: [],
  strictSupplementalGroups: true,
};

const asking = (uid: string, cpu: string, parts: Parameters<typeof pod>[0] = {}, source = 'api'): Pod =>
  pod({
    containers: [container('main', { resources: { requests: { cpu } } })],
    ...parts,
    metadata: { uid, name: uid, annotations: { 'kubernetes.io/config.source': source } },
  });

/** What is done; what is counted alone is told apart. */
const words = (effects: readonly PodManagerEffect[]) =>
  effects
    .filter(({ type }) => type !== 'resize-asked')
    .map((effect) => (effect.type === 'record-event' ? effect.event.reason : effect.type));

let nodeAdmission: NodeAdmission;
let kept: Map<string, AllocatedResources>;
let resizes: Resizes;
beforeEach(() => {
  nodeAdmission = new NodeAdmission(node, COMMON_RULES);
  kept = new Map();
  resizes = new Resizes((uid) => kept.get(uid));
});

const [A, B, C] = [podUid('a'), podUid('b'), podUid('c')];
const requestOf = (uid: typeof A, one: Pod): unknown =>
  resizes.allocated(uid, one).spec.containers[0]?.resources?.requests?.['cpu'];

describe('a pod that requests other resources', () => {
  beforeEach(() => {
    nodeAdmission.countAdmitted(A, asking('a', '1'));
    nodeAdmission.countAdmitted(B, asking('b', '2'));
  });

  it('is resized when the node has room: saved first, then sent to the worker', () => {
    const wanted = asking('a', '2');
    expect(words(resizes.request(A, wanted, { before: asking('a', '1'), nodeAdmission }))).toEqual([
      'keep-allocation',
      'ResizeStarted',
    ]);
    expect(requestOf(A, wanted)).toBe('2');
    expect(resizes.reportOf(A)).toEqual({ original: { main: { requests: { cpu: '1' } } } });
  });

  it.each([
    { rule: 'more than is free', wanted: asking('a', '3'), reason: 'Deferred', about: 'requested: 3000, used: 2000' },
    {
      rule: 'more than the node has',
      wanted: asking('a', '5'),
      reason: 'Infeasible',
      about: "didn't have enough capacity",
    },
    {
      rule: 'what changes its QoS class',
      wanted: asking('a', '1', { containers: [container('main')] }),
      reason: 'Infeasible',
      about: 'QOS',
    },
    { rule: 'anything, as a static pod', wanted: asking('a', '2', {}, 'file'), reason: 'Infeasible', about: 'static' },
  ])('keeps what it has when it asks for $rule, and is told so once', ({ wanted, reason, about }) => {
    const before = asking('a', '1');
    expect(words(resizes.request(A, wanted, { before, nodeAdmission }))).toEqual([`Resize${reason}`]);
    expect(resizes.reportOf(A)?.pending).toMatchObject({ reason, message: expect.stringContaining(about) as string });
    expect(requestOf(A, wanted)).toBe('1');
    expect(resizes.request(A, wanted, { before, nodeAdmission })).toEqual([]);
    expect(resizes.deferred(new Map([[A, wanted]]))).toEqual(reason === 'Deferred' ? [A] : []);
  });

  it('is resized as soon as another pod has left, and nothing else takes that room meanwhile', () => {
    const wanted = asking('a', '3');
    resizes.request(A, wanted, { before: asking('a', '1'), nodeAdmission });
    expect(nodeAdmission.judge(C, asking('c', '1'), () => false)).toEqual({ type: 'admitted' });
    nodeAdmission.podLeft(B);
    expect(words(resizes.request(A, wanted, { before: asking('a', '1'), nodeAdmission }))).toEqual([
      'keep-allocation',
      'ResizeStarted',
    ]);
  });

  it('stops waiting once it requests its current resources', () => {
    resizes.request(A, asking('a', '3'), { before: asking('a', '1'), nodeAdmission });
    expect(resizes.request(A, asking('a', '1'), { before: asking('a', '1'), nodeAdmission })).toEqual([]);
    expect(resizes.isAnyPending).toBe(false);
  });
});

describe('pods that wait for room', () => {
  it('are retried by priority, then by arrival', () => {
    nodeAdmission.countAdmitted(podUid('full'), asking('full', '3500m'));
    const wanted = new Map([
      [A, asking('a', '2')],
      [B, asking('b', '2', { priority: 10 })],
      [C, asking('c', '2')],
    ]);
    for (const [uid, one] of wanted) resizes.request(uid, one, { before: asking(uid, '100m'), nodeAdmission });
    expect(resizes.deferred(wanted)).toEqual([B, A, C]);
  });
});

describe('a manager that takes over', () => {
  const status = { startTime: '2030-01-01T00:00:00Z' };

  it("knows a pod's allocated resources from disk", () => {
    const had = { main: { requests: { cpu: '1' } } };
    kept.set('a', { original: had, allocated: had });
    nodeAdmission.countAdmitted(B, asking('b', '3'));
    const wanted = { ...asking('a', '2'), status };
    expect(words(resizes.request(A, wanted, { before: undefined, nodeAdmission }))).toEqual(['ResizeDeferred']);
    expect(requestOf(A, wanted)).toBe('1');
  });

  it('knows the allocated resources of a never resized pod from the API', () => {
    const shown = { name: 'main', ready: true, restartCount: 0, image: '', imageID: '' };
    const containerStatuses = [{ ...shown, resources: { requests: { cpu: '1' } }, allocatedResources: { cpu: '1' } }];
    const wanted = { ...asking('a', '2'), status: { ...status, containerStatuses } };
    expect(words(resizes.request(A, wanted, { before: undefined, nodeAdmission }))).toEqual([
      'keep-allocation',
      'ResizeStarted',
    ]);
  });
});

describe('on a node where some containers may swap', () => {
  const withMemory = (memory: string, limit?: string, cpu = '1'): Pod =>
    asking('a', cpu, {
      containers: [
        container('main', { resources: { requests: { cpu, memory }, ...(limit && { limits: { memory: limit } }) } }),
      ],
    });

  it.each<{ rule: string; before: Pod; wanted: Pod; told: string }>([
    {
      rule: 'other memory for one that may',
      before: withMemory('1Gi'),
      wanted: withMemory('2Gi'),
      told: 'ResizeInfeasible',
    },
    {
      rule: 'other processors for one that may',
      before: withMemory('1Gi'),
      wanted: withMemory('1Gi', undefined, '2'),
      told: 'ResizeStarted',
    },
    {
      rule: 'other memory for one that has all it may use',
      before: withMemory('1Gi', '1Gi'),
      wanted: withMemory('2Gi', '2Gi'),
      told: 'ResizeStarted',
    },
  ])('$rule: $told', ({ before, wanted, told }) => {
    const swapping = new NodeAdmission(node, { ...COMMON_RULES, swap: 'limited' });
    expect(words(resizes.request(A, wanted, { before, nodeAdmission: swapping }))).toContain(told);
    expect(words(new Resizes(() => undefined).request(A, wanted, { before, nodeAdmission }))).toContain(
      'ResizeStarted',
    );
  });
});

describe('the pod-level resources of a pod', () => {
  const whole = (cpu: string): Pod => asking('a', '1', { resources: { requests: { cpu } } });

  it('are changed, unless the feature gate is off', () => {
    const before = whole('1');
    expect(words(resizes.request(A, whole('2'), { before, nodeAdmission }))).toEqual([
      'keep-allocation',
      'ResizeStarted',
    ]);
    const off = new NodeAdmission(node, {
      ...COMMON_RULES,
      isOn: (gate) => gate !== 'InPlacePodLevelResourcesVerticalScaling' && COMMON_RULES.isOn(gate),
    });
    expect(words(new Resizes(() => undefined).request(A, whole('2'), { before, nodeAdmission: off }))).toEqual([
      'ResizeInfeasible',
    ]);
  });
});

describe('a requested resize', () => {
  const counted = (wanted: Pod, { before }: { readonly before: Pod | undefined } = { before: asking('a', '1') }) =>
    resizes.request(A, wanted, { before, nodeAdmission }).filter(({ type }) => type === 'resize-asked');
  const increase = { resource: 'cpu', requirement: 'requests', operation: 'increase' };

  it('is counted once for several tries', () => {
    expect(counted(asking('a', '2'))).toEqual([{ type: 'resize-asked', uid: A, asked: [increase] }]);
    expect(counted(asking('a', '2'))).toEqual([]);
    expect(counted(asking('a', '1500m'))).toMatchObject([{ asked: [{ ...increase, operation: 'decrease' }] }]);
  });

  it('is counted with its reason when it is infeasible', () => {
    expect(counted(asking('a', '5'))).toMatchObject([{ infeasible: 'insufficient_node_allocatable' }]);
    expect(counted(asking('a', '2', {}, 'file'))).toMatchObject([{ infeasible: 'static_pod' }]);
  });

  it('is not counted again by a restarted manager', () => {
    expect(counted(asking('a', '2'), { before: undefined })).toEqual([]);
  });

  it.each([
    [{ requests: { cpu: '1' } }, { requests: { cpu: '1' }, limits: { cpu: '2' } }, ['cpu limits add']],
    [{ limits: { memory: '1Gi' } }, {}, ['memory limits remove']],
    [
      { requests: { cpu: '1', memory: '1Gi' } },
      { requests: { cpu: '1000m', memory: '2Gi' } },
      ['memory requests increase'],
    ],
  ])('from %o to %o is amount by amount', (had, wants, changes) => {
    const of = (resources: object) => pod({ containers: [container('main', { resources })] });
    const asked = requestedResizes(of(wants), resourcesOf(of(had)));
    expect(asked.map(({ resource, requirement, operation }) => `${resource} ${requirement} ${operation}`)).toEqual(
      changes,
    );
  });
});
