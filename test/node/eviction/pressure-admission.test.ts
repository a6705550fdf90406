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

describe('a node under pressure of', () => {
  it.each([
    { rule: 'nothing admits every pod', pressures: short(), pod: apiPod('a'), message: undefined },
    { rule: 'memory rejects best-effort pods', pressures: short('memory'), pod: apiPod('a'), message: memory },
    {
      rule: 'memory admits pods with requests',
      pressures: short('memory'),
      pod: apiPod('a', { memory: '1' }),
      message: undefined,
    },
    { rule: 'memory admits pods that tolerate it', pressures: short('memory'), pod: tolerating, message: undefined },
    {
      rule: 'memory rejects pods with other tolerations',
      pressures: short('memory'),
      pod: toleratingDisk,
      message: memory,
    },
    {
      rule: 'disk rejects pods with requests and pods that tolerate memory pressure',
      pressures: short('disk'),
      pod: { ...toleratingDisk, spec: { ...toleratingDisk.spec, ...apiPod('a', { memory: '1' }).spec } },
      message: 'The node had condition: [DiskPressure]. ',
    },
    {
      rule: 'process numbers rejects every pod',
      pressures: short('pid'),
      pod: apiPod('a', { memory: '1' }),
      message: 'The node had condition: [PIDPressure]. ',
    },
    {
      rule: 'memory and disk rejects pods that tolerate memory pressure',
      pressures: short('memory', 'disk'),
      pod: tolerating,
      message: 'The node had condition: [MemoryPressure, DiskPressure]. ',
    },
    {
      rule: 'everything admits critical pods',
      pressures: short('memory', 'disk', 'pid'),
      pod: critical,
      message: undefined,
    },
    { rule: 'everything admits static pods', pressures: short('disk'), pod: staticPod('a'), message: undefined },
  ])('$rule', ({ pressures, pod, message }) => {
    const rejection = pressureRejection(pod, pressures);
    expect(rejection).toEqual(message === undefined ? undefined : { reason: 'Evicted', message });
  });
});
