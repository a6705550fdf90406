import type { ExpectedStatus, StatusEntry } from '../scenario.ts';

const SANDBOX_MADE = 'PodReadyToStartContainers';

/**
 * The recorded runtime made a sandbox in no time, so that a mirror, which is written while its pod already starts, was first told
 * of when the sandbox was there. A real one takes tenths of a second: that there is none yet may be told in between, and nothing
 * else may.
 */
export const withRealStart = (statuses: readonly ExpectedStatus[]): readonly ExpectedStatus[] =>
  statuses.flatMap((entry, index) => {
    const before = statuses[index - 1];
    if (before === undefined || !isBare(before) || !waitsInItsSandbox(entry)) return [entry];
    return [{ ...entry, conditions: { ...entry.conditions, [SANDBOX_MADE]: 'False' }, optional: true }, entry];
  });

const isBare = ({ phase, conditions, deleting }: StatusEntry): boolean =>
  phase === 'Pending' && conditions === undefined && deleting === undefined;

const waitsInItsSandbox = ({ phase, conditions, ip, init = {}, containers = {} }: StatusEntry): boolean =>
  phase === 'Pending' &&
  ip === undefined &&
  conditions?.[SANDBOX_MADE] === 'True' &&
  [...Object.values(init), ...Object.values(containers)].every(({ state, restarts }) => {
    return /^waiting\/(?:ContainerCreating|PodInitializing)$/.test(state) && restarts === undefined;
  });
