import { describe, expect, it } from 'vitest';
import { AdmissionDesk } from '../../../actors/pod-manager/admission-desk.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { filePod } from './manager-support.ts';

const node = {
  name: 'node-1',
  labels: {},
  os: 'linux',
  allocatable: { pods: '10' },
  taints: [],
  strictSupplementalGroups: true,
};

describe('a node that is shutting down', () => {
  it('lets no pod on, keeps those it has, and lets pods on again when it does not go down after all', () => {
    const desk = new AdmissionDesk(node);
    const judge = (uid: string) => desk.judge(podUid(uid), filePod(uid));
    expect(judge('a')).toBeUndefined();
    desk.shuttingDown(true);
    expect(judge('a')).toBeUndefined();
    expect(judge('b')).toEqual({
      reason: 'NodeShutdown',
      message: 'Pod was rejected as the node is shutting down.',
    });
    desk.shuttingDown(false);
    expect(judge('b')).toBeUndefined();
  });
});
