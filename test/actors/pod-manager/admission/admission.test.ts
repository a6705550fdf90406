import { describe, expect, it } from 'vitest';
import { AdmissionDesk } from '../../../../actors/pod-manager/admission/admission.ts';
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
function judgement(desk: AdmissionDesk, pod: Pod): Rejection | undefined {
  const found = desk.judge(podUid(pod.metadata.uid), pod, () => true);
  return found.type === 'rejected' ? found.rejection : undefined;
}

describe('a node that is shutting down', () => {
  it('lets no pod on, keeps those it has, and lets pods on again when it does not go down after all', () => {
    const desk = new AdmissionDesk(node, COMMON_RULES);
    const judge = (uid: string) => judgement(desk, filePod(uid));
    expect(judge('a')).toBeUndefined();
    desk.told({ type: 'node-shutting-down', shuttingDown: true });
    expect(judge('a')).toBeUndefined();
    expect(judge('b')).toEqual({
      reason: 'NodeShutdown',
      message: 'Pod was rejected as the node is shutting down.',
    });
    desk.told({ type: 'node-shutting-down', shuttingDown: false });
    expect(judge('b')).toBeUndefined();
  });
});

describe('a node that is short of something', () => {
  const short = (memory: boolean, disk: boolean) =>
    ({ type: 'pressures-observed', pressures: { memory, disk, pid: false } }) as const;
  const apiPod = (uid: string) =>
    filePod(uid, uid, { metadata: { annotations: { 'kubernetes.io/config.source': 'api' } } });

  it('refuses pods before it looks at anything else, keeps those it has, and takes pods again when it has enough', () => {
    const desk = new AdmissionDesk({ ...node, allocatable: { pods: '1' } }, COMMON_RULES);
    const judge = (uid: string) => judgement(desk, apiPod(uid));
    expect(judge('a')).toBeUndefined();
    desk.told(short(false, true));
    expect(judge('a')).toBeUndefined();
    expect(judge('b')).toEqual({ reason: 'Evicted', message: 'The node had condition: [DiskPressure]. ' });
    desk.told(short(false, false));
    expect(judge('b')?.reason).toBe('OutOfpods');
  });

  it('takes static pods all the same', () => {
    const desk = new AdmissionDesk(node, COMMON_RULES);
    desk.told(short(true, true));
    expect(judgement(desk, filePod('a'))).toBeUndefined();
  });
});
