import type { ContainerEntry, ExpectedStatus } from '../../lifecycle/scenario.ts';

/** Shorter than messages may be late. */
const MOMENT_SECONDS = 0.1;
const SANDBOX_MADE = 'PodReadyToStartContainers';

type Entries = Readonly<Record<string, ContainerEntry>>;

/**
 * What a recording says of a pod's statuses where every message is late, and may be overtaken: which moments may be missed
 * then, because something newer was there to be told before they were, and which may be seen that were over too soon without it.
 * What comes of it all, and in which order, stays as recorded. The table in the test says what is refused still.
 */
export function withLateMessages(entries: readonly ExpectedStatus[]): readonly ExpectedStatus[] {
  const missable = entries.map((entry, at) => {
    const next = entries[at + 1];
    const mayBeMissed = next !== undefined && (isMoment(entry, next) || isToldByItsEnd(entry, next));
    return mayBeMissed ? { ...entry, optional: true } : entry;
  });
  return missable.flatMap((entry, at) => [...startsSeen(missable[at - 1], entry), entry]);
}

/** Recorded within moments before another status. */
const isMoment = ({ t }: ExpectedStatus, next: ExpectedStatus): boolean =>
  t !== undefined && next.t !== undefined && next.t[0] - t[0] <= MOMENT_SECONDS;

/** All that it says is said again with the pod's end, which follows it at once: how long that took was the API server's doing. */
function isToldByItsEnd(entry: ExpectedStatus, next: ExpectedStatus): boolean {
  const isOver = next.phase === 'Failed' || next.phase === 'Succeeded';
  return isOver && entry.phase !== next.phase && said(entry) === said(next);
}

const said = ({ phase: _p, conditions = {}, t: _t, optional: _o, ...rest }: ExpectedStatus): string => {
  const others = Object.entries(conditions).filter(([type]) => type !== SANDBOX_MADE);
  return JSON.stringify({ ...rest, conditions: others.toSorted(([one], [other]) => (one < other ? -1 : 1)) });
};

/** Containers that were started before anybody had told that they were about to be: that may be told first. */
function startsSeen(before: ExpectedStatus | undefined, entry: ExpectedStatus): readonly ExpectedStatus[] {
  if (before === undefined) return [];
  return [...mirrorStart(before, entry), ...ephemeralStart(before, entry)];
}

/** A mirror is written while its pod starts already, mostly when all of it runs. */
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

/** An ephemeral container is started in the round that first hears of it. */
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
