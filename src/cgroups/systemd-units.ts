import { basename } from 'node:path';
import type { CgroupValues } from './cgroup-values.ts';
import { cpuWeight } from './cgroup-writes.ts';

/** A property of a unit: its name, its D-Bus type (`t` 64 bits, `b` boolean, `s` text, `as` texts), and its value. */
export type UnitProperty = readonly [name: string, type: 't' | 'b' | 's' | 'as', ...value: readonly string[]];

/** `/kubepods.slice/kubepods-burstable.slice` → `kubepods-burstable.slice`: a slice's own name implies its place. */
export const unitOf = (path: string): string => basename(path);

/** Returns the parent slice; `undefined` directly below the root. */
function parentOf(unit: string): string | undefined {
  const dash = unit.lastIndexOf('-');
  return dash < 0 ? undefined : `${unit.slice(0, dash)}.slice`;
}

/**
 * Returns a new slice's properties besides its limits: it has no dependencies, and systemd keeps all controllers in it.
 */
export function unitBasics(unit: string, version: 1 | 2): readonly UnitProperty[] {
  const parent = parentOf(unit);
  return [
    ['Description', 's', `pods of Kubernetes: ${unit}`],
    ...(parent === undefined ? [] : [['Wants', 'as', '1', parent] as const]),
    ['DefaultDependencies', 'b', 'false'],
    ...[
      'MemoryAccounting',
      'CPUAccounting',
      'TasksAccounting',
      version === 2 ? 'IOAccounting' : 'BlockIOAccounting',
    ].map((name): UnitProperty => [name, 'b', 'true']),
  ];
}

const NO_LIMIT = (2n ** 64n - 1n).toString();
const MICROSECONDS = 1_000_000n;
/** systemd rounds shares of a second down to this step, so this agent rounds them up first. */
const QUOTA_STEP = 10_000n;

/** Returns a cgroup's values as systemd properties. systemd does not support huge page limits; the files set these. */
export function unitProperties(values: CgroupValues, version: 1 | 2): readonly UnitProperty[] {
  const { cpuShares, cpuQuota, memoryLimitBytes, memoryMinBytes, memoryLowBytes, pidsMax } = values;
  const properties: UnitProperty[] = [];
  const add = (name: string, value: bigint | string): void => void properties.push([name, 't', String(value)]);
  if (cpuShares !== undefined) {
    if (version === 2) add('CPUWeight', cpuWeight(cpuShares));
    else add('CPUShares', cpuShares);
  }
  if (cpuQuota !== undefined) {
    const { microseconds, periodMicroseconds } = cpuQuota;
    add('CPUQuotaPeriodUSec', periodMicroseconds);
    add('CPUQuotaPerSecUSec', microseconds === 'unlimited' ? NO_LIMIT : perSecond(microseconds, periodMicroseconds));
  }
  if (memoryLimitBytes !== undefined) add(version === 2 ? 'MemoryMax' : 'MemoryLimit', memoryLimitBytes);
  if (version === 2 && memoryMinBytes !== undefined) add('MemoryMin', memoryMinBytes);
  if (version === 2 && memoryLowBytes !== undefined) add('MemoryLow', memoryLowBytes);
  if (pidsMax !== undefined) add('TasksMax', pidsMax);
  return properties;
}

const perSecond = (microseconds: bigint, period: bigint): bigint =>
  (((microseconds * MICROSECONDS) / period + QUOTA_STEP - 1n) / QUOTA_STEP) * QUOTA_STEP;
