import { expect, it } from 'vitest';
import { MetricFamilies } from '../../src/metrics/metric-families.ts';
import { noCgroups } from '../../src/cgroups/cgroups.ts';
import { timedCgroups } from '../../src/cgroups/timed-cgroups.ts';

it('changes of cgroups are timed by operation, reads are not, and results are returned', () => {
  const families = new MetricFamilies();
  let now = 0;
  const slow = { ...noCgroups, set: () => ((now += 0.25), 'read-only file system'), remove: () => void (now += 2) };
  const cgroups = timedCgroups(slow, { families, seconds: () => now });
  expect(cgroups.set('/kubepods', {})).toBe('read-only file system');
  expect(cgroups.remove('/kubepods')).toBe(undefined);
  expect(cgroups.exists('/kubepods')).toBe(true);
  const counted = families
    .text()
    .split('\n')
    .filter((line) => /_(sum|count)\{/.test(line));
  expect(counted.map((line) => line.replace('kubelet_cgroup_manager_duration_seconds', ''))).toEqual([
    '_sum{operation_type="update"} 0.25',
    '_count{operation_type="update"} 1',
    '_sum{operation_type="destroy"} 2',
    '_count{operation_type="destroy"} 1',
  ]);
});
