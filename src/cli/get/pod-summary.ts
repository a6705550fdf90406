import type { Container, ContainerStateTerminated, ContainerStatus, Pod } from '../../kube/pod.ts';

/** A pod in a few words, as kubectl summarizes it. */
export interface PodSummary {
  readonly readyContainers: number;
  readonly totalContainers: number;
  /** One word such as `Running`, `Init:0/1` or `CrashLoopBackOff`. */
  readonly status: string;
  readonly restarts: number;
  /** The last end of a container before its restart. */
  readonly lastRestart: string | undefined;
}

interface Restarts {
  readonly count: number;
  readonly last: string | undefined;
}

/** The summary of the init containers. */
interface InitSummary {
  /** The word for an unfinished init container. `undefined` when all have finished. */
  readonly waitsFor: string | undefined;
  readonly readySidecars: number;
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
}

/** Returns the columns of `kubectl get pods`. They are a summary for people: no code should decide on them. */
export function summarizePod(pod: Pod): PodSummary {
  const { spec, status = {} } = pod;
  const sidecars = new Set((spec.initContainers ?? []).filter(isSidecar).map((container) => container.name));
  const init = summarizeInit(status.initContainerStatuses ?? [], {
    total: spec.initContainers?.length ?? 0,
    sidecars,
  });
  const containers = status.containerStatuses ?? [];
  const started = init.waitsFor === undefined || isConditionTrue(pod, 'Initialized');
  const running = containers.filter(({ ready, state }) => ready && state?.running !== undefined).length;
  const restarts = started ? allRestarts(init.sidecarRestarts, containers) : init.restarts;
  return {
    readyContainers: init.readySidecars + (started ? running : 0),
    totalContainers: spec.containers.length + sidecars.size,
    status: statusWord(pod, { waitsFor: started ? undefined : init.waitsFor, hasRunning: running > 0 }),
    restarts: restarts.count,
    lastRestart: restarts.last,
  };
}

const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/** `true` if the pod's status has this condition, and it is true. */
export const isConditionTrue = (pod: Pod, type: string): boolean =>
  pod.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

function summarizeInit(
  statuses: readonly ContainerStatus[],
  { total, sidecars }: { readonly total: number; readonly sidecars: ReadonlySet<string> },
): InitSummary {
  let readySidecars = 0;
  let restarts: Restarts = { count: 0, last: undefined };
  let sidecarRestarts = restarts;
  for (const [index, status] of statuses.entries()) {
    restarts = allRestarts(restarts, [status]);
    const isOneOfThem = sidecars.has(status.name);
    if (isOneOfThem) sidecarRestarts = allRestarts(sidecarRestarts, [status]);
    const { terminated, waiting } = status.state ?? {};
    if (terminated?.exitCode === 0) continue;
    if (isOneOfThem && status.started === true) {
      if (status.ready) readySidecars++;
      continue;
    }
    const trouble = terminated === undefined ? nonEmpty(waiting?.reason, ['PodInitializing']) : endWord(terminated);
    return { waitsFor: `Init:${trouble ?? `${index}/${total}`}`, readySidecars, restarts, sidecarRestarts };
  }
  return { waitsFor: undefined, readySidecars, restarts, sidecarRestarts };
}

/** Adds the restarts of these containers to the earlier restarts. */
function allRestarts(before: Restarts, statuses: readonly ContainerStatus[]): Restarts {
  let { count, last } = before;
  for (const { restartCount, lastState } of statuses) {
    count += restartCount;
    const ended = lastState?.terminated?.finishedAt;
    if (ended !== undefined && (last === undefined || Date.parse(ended) > Date.parse(last))) last = ended;
  }
  return { count, last };
}

function statusWord(
  pod: Pod,
  { waitsFor, hasRunning }: { readonly waitsFor: string | undefined; readonly hasRunning: boolean },
): string {
  const { status = {}, metadata } = pod;
  const isOver = status.phase === 'Succeeded' || status.phase === 'Failed';
  if (metadata.deletionTimestamp !== undefined && status.reason === 'NodeLost') return 'Unknown';
  if (metadata.deletionTimestamp !== undefined && !isOver) return 'Terminating';
  if (waitsFor !== undefined) return waitsFor;
  // The first container with such a word decides the pod's word.
  const word = status.containerStatuses?.map(containerWord).find((each) => each !== undefined);
  // Some containers have finished while others keep running.
  if (word === 'Completed' && hasRunning) return isConditionTrue(pod, 'Ready') ? 'Running' : 'NotReady';
  if (word !== undefined) return word;
  const gated = status.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated');
  return gated === true ? 'SchedulingGated' : (nonEmpty(status.reason) ?? status.phase ?? 'Unknown');
}

function containerWord({ state }: ContainerStatus): string | undefined {
  const waits = nonEmpty(state?.waiting?.reason);
  return waits ?? (state?.terminated && endWord(state.terminated));
}

function endWord({ reason, signal, exitCode }: ContainerStateTerminated): string {
  return nonEmpty(reason) ?? (signal === undefined || signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`);
}

const nonEmpty = (text: string | undefined, exceptFor: readonly string[] = []): string | undefined =>
  text === undefined || text === '' || exceptFor.includes(text) ? undefined : text;
