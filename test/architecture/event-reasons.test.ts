import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The reasons of events, and of pods that are not let onto the node, of a kubelet. */
const reasons = JSON.parse(readFileSync(join(ROOT, 'test/golden/events/reasons.json'), 'utf8')) as {
  readonly events: readonly string[];
  readonly rejections: readonly string[];
};

/** Event reasons of a kubelet that this node never uses, and why. */
const absent: Readonly<Record<string, string>> = {
  // Reasons of the control plane, which attaches and provisions.
  FailedAttachVolume: 'the control plane attaches volumes',
  SuccessfulAttachVolume: 'the control plane attaches volumes',
  VolumeResizeFailed: 'the control plane grows the disk',
  VolumeResizeSuccessful: 'the control plane grows the disk',
  // Reasons of features that this agent lacks.
  FailedPrepareDynamicResources: 'there is no dynamic resource allocation',
  AlreadyMountedVolume: 'the sharing of local volumes is not checked',
  FailedMountOnFilesystemMismatch: 'the mount of another file system fails with FailedMount',
  VolumePermissionChangeInProgress: 'a job changes the group of a volume without reports of progress',
  // Reasons of the kubelet's structure.
  KubeletSetupFailed: 'an agent that cannot start exits with the error',
  FailedPodSandBoxStatus: 'PLEG inspects a sandbox and retries; the pod worker makes no further inspection',
  FailedSync: 'a pod is always synced with its last observed status',
  InvalidImageID: 'no image is ignored because of its ID',
  HostIPsIPFamilyMismatch:
    'the kubelet compares with a field that is empty at that point, so that it never records the event',
  FailedNodeDeclaredFeaturesCheck: 'a change of a pod asks for no feature anew: only pods that come are looked at',
  // Of pods that are not let in.
  InvalidNodeInfo: 'what the node is, it knows',
  UnexpectedPredicateFailureType: 'what a check may answer is closed',
  UnknownReason: 'each check gives its reason',
  InitContainerRestartPolicyForbidden: 'init containers may run on beside the others',
  VolumeAttachmentLimitExceeded: 'how many disks a node may have is for the scheduler to know',
  SMTAlignmentError: 'processors are not pinned',
  TopologyAffinityError: 'processors are not pinned',
};

/** Put together from parts where they are given. */
const composed: Readonly<Record<string, string>> = {
  ResizeDeferred: 'Resize${',
  ResizeInfeasible: 'Resize${',
  OutOfcpu: 'OutOf${',
  'OutOfephemeral-storage': 'OutOf${',
  OutOfmemory: 'OutOf${',
  OutOfpods: 'OutOf${',
};

const sources = globSync(['src/**/*.ts', 'actors/**/*.ts'], { cwd: ROOT })
  .filter((file) => !file.includes('/gen/'))
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');
const isGiven = (reason: string): boolean =>
  reason in composed ? sources.includes(composed[reason] ?? '') : sources.includes(`'${reason}'`);

describe.each(Object.entries(reasons))('the reasons of %s that a kubelet has', (_, all) => {
  it('are all recorded, or have a reason why not', () => {
    expect(all.filter((reason) => !isGiven(reason) && absent[reason] === undefined)).toEqual([]);
  });

  it('are not explained as absent when they are recorded', () => {
    expect(all.filter((reason) => isGiven(reason) && absent[reason] !== undefined)).toEqual([]);
  });
});

it('no reason is explained that a kubelet does not have', () => {
  const all = [...reasons.events, ...reasons.rejections];
  expect(Object.keys(absent).filter((reason) => !all.includes(reason))).toEqual([]);
});
