import { describe, expect, it } from 'vitest';
import { allocationsIn, type Allocations } from '../../../../actors/pod-manager/checkpoints/allocations.ts';
import { NodeAdmission } from '../../../../actors/pod-manager/admission/admission.ts';
import { Records } from '../../../../actors/pod-manager/checkpoints/checkpoints.ts';
import { Resizes } from '../../../../actors/pod-manager/admission/resizes.ts';
import { podUid, type PodUid } from '../../../../src/kube/ids.ts';
import type { Pod } from '../../../../src/kube/pod.ts';
import { COMMON_RULES } from '../../../../src/node/admission/pod-admission.ts';
import type { AllocatedResources } from '../../../../src/pod/sync/pod-resizes.ts';
import { container, pod } from '../../../pod/pods.ts';
import { MemoryFiles } from '../../../simulation/node/memory-files.ts';

const ROOT = '/var/lib/hivelet';
const A = podUid('a');
const node = {
  name: 'n1',
  labels: {},
  os: 'linux',
  allocatable: { cpu: '4' },
  taints: [],
  strictSupplementalGroups: true,
};

/** A pod that requests `wanted`; `shown` is its allocation in the API, if any. */
const asking = (wanted: string, shown?: string): Pod =>
  pod({
    containers: [container('main', { resources: { requests: { cpu: wanted } } })],
    metadata: { uid: 'a', name: 'a', annotations: { 'kubernetes.io/config.source': 'api' } },
    status: {
      startTime: '2030-01-01T00:00:00Z',
      ...(shown === undefined
        ? {}
        : {
            containerStatuses: [
              {
                name: 'main',
                ready: true,
                restartCount: 0,
                image: 'i',
                imageID: 'i',
                allocatedResources: { cpu: shown },
                resources: { requests: { cpu: shown } },
              },
            ],
          }),
    },
  });
const given = (original: string, allocated: string): AllocatedResources => ({
  original: { main: { requests: { cpu: original } } },
  allocated: { main: { requests: { cpu: allocated } } },
});

/** The allocation that a restarted manager assumes for a pod, and its decision on the pod's request. */
function takenOver(kept: string | undefined, wanted: Pod): { readonly has: unknown; readonly done: readonly string[] } {
  const files = new MemoryFiles();
  if (kept !== undefined) files.writeFile(`${ROOT}/pods/a/allocated-resources`, kept);
  const resizes = new Resizes((uid) => allocationsIn(ROOT, files).read(uid));
  const nodeAdmission = new NodeAdmission(node, COMMON_RULES);
  nodeAdmission.countAdmitted(
    podUid('b'),
    pod({ containers: [container('main', { resources: { requests: { cpu: '2' } } })] }),
  );
  const effects = resizes.request(A, wanted, { before: undefined, nodeAdmission });
  return {
    has: resizes.allocated(A, wanted).spec.containers[0]?.resources?.requests?.['cpu'],
    done: effects.map((effect) => (effect.type === 'record-event' ? effect.event.reason : effect.type)),
  };
}

describe('allocated resources, saved for the next manager', () => {
  const whole = JSON.stringify(given('1', '1500m'));
  it.each<{ disk: string; kept: string | undefined; wanted: Pod; has: string; done: readonly string[] }>([
    { disk: 'has all of it', kept: whole, wanted: asking('1500m', '1'), has: '1500m', done: [] },
    { disk: 'has lost it', kept: undefined, wanted: asking('3', '1500m'), has: '1500m', done: ['ResizeDeferred'] },
    {
      disk: 'has half of it',
      kept: whole.slice(0, 20),
      wanted: asking('3', '1500m'),
      has: '1500m',
      done: ['ResizeDeferred'],
    },
    { disk: 'has nothing in it', kept: '', wanted: asking('3', '1500m'), has: '1500m', done: ['ResizeDeferred'] },
    {
      disk: 'has something else in it',
      kept: '["main"]',
      wanted: asking('3', '1500m'),
      has: '1500m',
      done: ['ResizeDeferred'],
    },
    { disk: 'has `null` in it', kept: 'null', wanted: asking('3', '1500m'), has: '1500m', done: ['ResizeDeferred'] },
    {
      disk: 'has an older state of it, which is given once more',
      kept: JSON.stringify(given('1', '1')),
      wanted: asking('1500m', '1500m'),
      has: '1500m',
      done: ['keep-allocation', 'ResizeStarted'],
    },
    {
      disk: 'has lost it, and the API has heard nothing: it counts as having what it asks for',
      kept: undefined,
      wanted: asking('3'),
      has: '3',
      done: [],
    },
    {
      disk: 'has it, and the pod still asks for more than there is',
      kept: whole,
      wanted: asking('3', '1'),
      has: '1500m',
      done: ['ResizeDeferred'],
    },
  ])('where the disk $disk', ({ kept, wanted, has, done }) => {
    expect(takenOver(kept, wanted)).toEqual({ has, done });
  });
});

/** A disk that can be full. */
class Disk implements Allocations {
  isFull = false;
  readonly kept = new Map<PodUid, AllocatedResources>();
  read(uid: PodUid): AllocatedResources | undefined {
    return this.kept.get(uid);
  }
  write(uid: PodUid, allocation: AllocatedResources): void {
    this.#mayWrite();
    this.kept.set(uid, allocation);
  }
  readVictims(): readonly PodUid[] {
    return [];
  }
  writeVictims(): void {
    this.#mayWrite();
  }
  #mayWrite(): void {
    if (this.isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  }
}

describe('a disk that is full', () => {
  const said: string[] = [];
  const log = { warn: (_: object, message: string) => said.push(message) };

  it('stops no pod; a failed write is retried until it succeeds once', () => {
    const disk = new Disk();
    const records = new Records(disk, log);
    disk.isFull = true;
    records.keep(A, given('1', '2'));
    records.retryWrites(() => true);
    expect(disk.read(A)).toBeUndefined();
    disk.isFull = false;
    records.retryWrites(() => true);
    expect(disk.read(A)).toEqual(given('1', '2'));
    disk.kept.clear();
    records.retryWrites(() => true);
    expect(disk.read(A)).toBeUndefined();
  });

  it('gets the last of several writes, and none of a removed pod', () => {
    const disk = new Disk();
    const records = new Records(disk, log);
    disk.isFull = true;
    records.keep(A, given('1', '2'));
    records.keep(A, given('1', '3'));
    records.keep(podUid('gone'), given('1', '2'));
    disk.isFull = false;
    records.retryWrites((uid) => uid === A);
    expect([...disk.kept]).toEqual([[A, given('1', '3')]]);
  });

  it('is logged, also for saved victims', () => {
    const disk = new Disk();
    said.length = 0;
    disk.isFull = true;
    new Records(disk, log).keepVictims(A, [podUid('b')]);
    expect(said).toEqual(['cannot save which pods were preempted for the pod; preempting them anyway']);
  });
});
