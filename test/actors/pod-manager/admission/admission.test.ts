import { describe, expect, it } from 'vitest';
import { NodeAdmission } from '../../../../actors/pod-manager/admission/admission.ts';
import { podUid } from '../../../../src/kube/ids.ts';
import type { Pod } from '../../../../src/kube/pod.ts';
import type { Rejection } from '../../../../src/node/admission/admission.ts';
import { COMMON_RULES } from '../../../../src/node/admission/pod-admission.ts';
import { filePod } from '../manager-support.ts';

const node = {
  name: 'node-1',
  labels: {},
  os: 'linux',
  allocatable: { pods: '10' },
  taints: [],
  strictSupplementalGroups: true,
};

/** Undefined: it is let on. */
function judgement(nodeAdmission: NodeAdmission, pod: Pod): Rejection | undefined {
  const found = nodeAdmission.judge(podUid(pod.metadata.uid), pod, () => true);
  return found.type === 'rejected' ? found.rejection : undefined;
}

describe('a node that is shutting down', () => {
  it('admits no pod, keeps its pods, and admits pods again when the shutdown is cancelled', () => {
    const nodeAdmission = new NodeAdmission(node, COMMON_RULES);
    const judge = (uid: string) => judgement(nodeAdmission, filePod(uid));
    expect(judge('a')).toBeUndefined();
    nodeAdmission.noteNodeReport({ type: 'node-shutting-down', shuttingDown: true });
    expect(judge('a')).toBeUndefined();
    expect(judge('b')).toEqual({
      reason: 'NodeShutdown',
      message: 'Pod was rejected as the node is shutting down.',
    });
    nodeAdmission.noteNodeReport({ type: 'node-shutting-down', shuttingDown: false });
    expect(judge('b')).toBeUndefined();
  });
});

describe('a node under pressure', () => {
  const short = (memory: boolean, disk: boolean) =>
    ({ type: 'pressures-observed', pressures: { memory, disk, pid: false } }) as const;
  const apiPod = (uid: string) =>
    filePod(uid, uid, { metadata: { annotations: { 'kubernetes.io/config.source': 'api' } } });

  it('rejects pods before any other check, keeps its pods, and admits pods again without pressure', () => {
    const nodeAdmission = new NodeAdmission({ ...node, allocatable: { pods: '1' } }, COMMON_RULES);
    const judge = (uid: string) => judgement(nodeAdmission, apiPod(uid));
    expect(judge('a')).toBeUndefined();
    nodeAdmission.noteNodeReport(short(false, true));
    expect(judge('a')).toBeUndefined();
    expect(judge('b')).toEqual({ reason: 'Evicted', message: 'The node had condition: [DiskPressure]. ' });
    nodeAdmission.noteNodeReport(short(false, false));
    expect(judge('b')?.reason).toBe('OutOfpods');
  });

  it('still admits static pods', () => {
    const nodeAdmission = new NodeAdmission(node, COMMON_RULES);
    nodeAdmission.noteNodeReport(short(true, true));
    expect(judgement(nodeAdmission, filePod('a'))).toBeUndefined();
  });
});
