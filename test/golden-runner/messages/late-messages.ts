import type { ContainerEntry, ExpectedStatus } from '../../lifecycle/scenario.ts';

/** The longest short-lived status. Messages may be later than that. */
const MOMENT_SECONDS = 0.1;
const SANDBOX_MADE = 'PodReadyToStartContainers';

type Entries = Readonly<Record<string, ContainerEntry>>;

/**
 * Returns a recording's statuses for a run in which every message is late and may be overtaken. Short-lived statuses
 * become optional: a newer status may replace them before they are reported. Others may appear that were too short to
 * be recorded. The final status and the order stay as recorded. The table in the test lists the rejected differences.
 */
export function withLateMessages(entries: readonly ExpectedStatus[]): readonly ExpectedStatus[] {
  const missable = entries.map((entry, at) => {
    const next = entries[at + 1];
    const mayBeMissed = next !== undefined && (isMoment(entry, next) || isToldByItsEnd(entry, next));
    return mayBeMissed ? { ...entry, optional: true } : entry;
  });
  return missable.flatMap((entry, at) => [...startsSeen(missable[at - 1], entry), entry]);
}

/** `true` if the status was recorded shortly before another status. */
const isMoment = ({ t }: ExpectedStatus, next: ExpectedStatus): boolean =>
  t !== undefined && next.t !== undefined && next.t[0] - t[0] <= MOMENT_SECONDS;

/** `true` if the pod's end repeats the status at once. The recorded time between the two is due to the API server. */
function isToldByItsEnd(entry: ExpectedStatus, next: ExpectedStatus): boolean {
  const isOver = next.phase === 'Failed' || next.phase === 'Succeeded';
  return isOver && entry.phase !== next.phase && said(entry) === said(next);
}

const said = ({ phase: _p, conditions = {}, t: _t, optional: _o, ...rest }: ExpectedStatus): string => {
  const others = Object.entries(conditions).filter(([type]) => type !== SANDBOX_MADE);
  return JSON.stringify({ ...rest, conditions: others.toSorted(([one], [other]) => (one < other ? -1 : 1)) });
};

/** Returns the waiting statuses that may be reported before the recorded start of containers. */
function startsSeen(before: ExpectedStatus | undefined, entry: ExpectedStatus): readonly ExpectedStatus[] {
  if (before === undefined) return [];
  return [...mirrorStart(before, entry), ...ephemeralStart(before, entry)];
}

/** A mirror pod is created while its static pod starts, mostly when all containers run already. */
function mirrorStart(
  before: ExpectedStatus,
  { phase, init, containers = {} }: ExpectedStatus,
): readonly ExpectedStatus[] {
  const isBare = before.newUid === true && before.phase === 'Pending' && before.conditions === undefined;
  if (!isBare || phase !== 'Running' || init !== undefined || !Object.values(containers).every(isFirstRun)) return [];
  const unready = `False/ContainersNotReady/containers with unready status: [${Object.keys(containers).join(' ')}]`;
  const conditions = { Initialized: 'True', Ready: unready, ContainersReady: unready, PodScheduled: 'True' };
  const waiting = mapped(containers, () => ({ state: 'waiting/ContainerCreating', started: false }));
  return ['False', 'True'].map((made) => ({
    phase: 'Pending',
    conditions: { ...conditions, [SANDBOX_MADE]: made },
    containers: waiting,
    optional: true,
  }));
}

/** An ephemeral container is started in the first sync that has it. */
function ephemeralStart(before: ExpectedStatus, entry: ExpectedStatus): readonly ExpectedStatus[] {
  const { ephemeral = {}, ...rest } = entry;
  const { ephemeral: known = {}, ...restBefore } = before;
  const added = Object.entries(ephemeral).filter(([name]) => known[name] === undefined);
  const isAllNews = said(rest) === said(restBefore) && rest.phase === restBefore.phase;
  if (!isAllNews || added.length === 0 || !added.every(([, each]) => isFirstRun(each))) return [];
  const waiting = mapped(Object.fromEntries(added), () => ({ state: 'waiting/ContainerCreating' }));
  return [{ ...rest, ephemeral: { ...known, ...waiting }, optional: true }];
}

const isFirstRun = ({ state, restarts, last }: ContainerEntry): boolean =>
  state === 'running' && restarts === undefined && last === undefined;

const mapped = (entries: Entries, to: () => ContainerEntry): Entries =>
  Object.fromEntries(Object.keys(entries).map((name) => [name, to()]));
