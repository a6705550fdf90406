import { describe, expect, it } from 'vitest';
import { pressureRejection } from '../../../src/node/eviction/pressure-admission.ts';
import { apiPod, staticPod } from './eviction-fixtures.ts';

const short = (...of: ('memory' | 'disk' | 'pid')[]) => ({
  memory: of.includes('memory'),
  disk: of.includes('disk'),
  pid: of.includes('pid'),
});
const tolerating = apiPod('a', {
  spec: { tolerations: [{ key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }] },
});
const toleratingDisk = apiPod('a', {
  spec: { tolerations: [{ key: 'node.kubernetes.io/disk-pressure', operator: 'Exists' }] },
});
const critical = apiPod('a', { priority: 2_000_000_000 });
const memory = 'The node had condition: [MemoryPressure]. ';

describe('a node that is short of', () => {
  it.each([
    { rule: 'nothing takes everybody', pressures: short(), pod: apiPod('a'), message: undefined },
    { rule: 'memory refuses whoever asked for none', pressures: short('memory'), pod: apiPod('a'), message: memory },
    {
      rule: 'memory takes whoever asked',
      pressures: short('memory'),
      pod: apiPod('a', { memory: '1' }),
      message: undefined,
    },
    { rule: 'memory takes whoever tolerates it', pressures: short('memory'), pod: tolerating, message: undefined },
    { rule: 'memory refuses other tolerations', pressures: short('memory'), pod: toleratingDisk, message: memory },
    {
      rule: 'disk refuses whoever asked and whoever tolerates it',
      pressures: short('disk'),
      pod: { ...toleratingDisk, spec: { ...toleratingDisk.spec, ...apiPod('a', { memory: '1' }).spec } },
      message: 'The node had condition: [DiskPressure]. ',
    },
    {
      rule: 'processes refuses everybody',
      pressures: short('pid'),
      pod: apiPod('a', { memory: '1' }),
      message: 'The node had condition: [PIDPressure]. ',
    },
    {
      rule: 'memory and disk refuses those who tolerate memory',
      pressures: short('memory', 'disk'),
      pod: tolerating,
      message: 'The node had condition: [MemoryPressure, DiskPressure]. ',
    },
    {
      rule: 'everything takes critical pods',
      pressures: short('memory', 'disk', 'pid'),
      pod: critical,
      message: undefined,
    },
    { rule: 'everything takes static pods', pressures: short('disk'), pod: staticPod('a'), message: undefined },
  ])('$rule', ({ pressures, pod, message }) => {
    const rejection = pressureRejection(pod, pressures);
    expect(rejection).toEqual(message === undefined ? undefined : { reason: 'Evicted', message });
  });
});
