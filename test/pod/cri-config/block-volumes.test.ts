import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../src/kube/pod.ts';
import { blockVolumes } from '../../../src/pod/cri-config/block-volumes.ts';

const pod = (claim: object, container: object): Pod =>
  ({
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-1' },
    spec: {
      containers: [{ name: 'main', ...container }],
      volumes: [{ name: 'disk', ...claim }],
    },
  }) as unknown as Pod;
const claim = { persistentVolumeClaim: { claimName: 'c' } };
const device = { volumeDevices: [{ name: 'disk', devicePath: '/dev/xvda' }] };
const paths = { disk: '/link' };

describe('the block volumes of a pod', () => {
  it.each([
    { rule: 'are the volumes that a container names as devices', pod: pod(claim, device), readOnly: false },
    {
      rule: 'are read-only if the pod’s claim volume is read-only',
      pod: pod({ persistentVolumeClaim: { claimName: 'c', readOnly: true } }, device),
      readOnly: true,
    },
    { rule: 'may be the pod’s own claims', pod: pod({ ephemeral: {} }, device), readOnly: false },
  ])('$rule', ({ pod: given, readOnly }) => {
    expect(blockVolumes(given, paths)).toEqual(new Map([['disk', { devicePath: '/link', readOnly }]]));
  });

  it('are empty if all volumes are mounted, or before they are mapped', () => {
    expect(blockVolumes(pod(claim, { volumeMounts: [{ name: 'disk', mountPath: '/d' }] }), paths)).toBeUndefined();
    expect(blockVolumes(pod(claim, device), {})).toEqual(new Map());
  });
});
