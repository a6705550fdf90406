import type { MonotonicMs } from '../../../src/actor/clock.ts';
import { publishUnseen, nextStep } from './decide-step.ts';
import type { Touched } from '../protocol.ts';
import type { Decision, Moment, NodeSettings, PodWorkerState } from '../worker-state.ts';

type At = Moment & NodeSettings;

/** Compares the known and the wanted state and takes the next step, unless it is under way already. */
export function continueSync(state: PodWorkerState, at: At): Decision {
  const { phase, statusKnown, work, observed: seen, needsNewerThan } = state;
  if (phase.type === 'waiting-for-pod' || !statusKnown) return { next: state, effects: [] };
  if (seen === undefined || seen.observedAt <= needsNewerThan) {
    const first = publishUnseen(state, at);
    if (work.observing > 0) return first;
    const requested = requestStatus(first.next, { newerThan: needsNewerThan });
    return { next: requested.next, effects: [...first.effects, ...requested.effects] };
  }
  return nextStep(state, at);
}

/** Continues from a decision. */
export function andThen({ next, effects }: Decision, at: At): Decision {
  const then = continueSync(next, at);
  return { next: then.next, effects: [...effects, ...then.effects] };
}

/** Asks PLEG for a status newer than `newerThan`. No step is decided before it arrives. */
export function requestStatus(
  state: PodWorkerState,
  { newerThan, touched, afterMs }: { newerThan: MonotonicMs; touched?: Touched; afterMs?: number },
): Decision {
  return {
    next: {
      ...state,
      needsNewerThan: Math.max(state.needsNewerThan, newerThan),
      work: { ...state.work, observing: state.work.observing + 1 },
    },
    effects: [
      {
        type: 'observe',
        newerThan,
        ...(touched === undefined ? {} : { touched }),
        ...(afterMs === undefined ? {} : { afterMs }),
      },
    ],
  };
}

/** PLEG reports changes. If a report is lost, the next resync detects it. */
export function requestStaleStatus(state: PodWorkerState, at: At): Decision {
  const { observed: seen, work, needsNewerThan } = state;
  const isOld = seen !== undefined && at.monotonic - seen.observedAt >= at.syncFrequencyMs;
  if (!isOld || work.observing > 0 || work.acting) return { next: state, effects: [] };
  return requestStatus(state, { newerThan: needsNewerThan });
}
