import type { MonotonicMs } from '../../../src/actor/clock.ts';
import type { RuntimeContainer } from '../../../src/pod/values/runtime-pod-status.ts';
import type { Moment, PodMemory, PodWorkerState } from '../worker-state.ts';

/** Records the time of each exit when it is first observed. */
export function withExits(state: PodWorkerState, at: Moment): PodWorkerState {
  const { memory, observed } = state;
  const ended = (observed?.status.containers ?? []).filter((container) => container.state === 'exited');
  const isKnown = ended.length === memory.exits.size && ended.every(({ id }) => memory.exits.has(id));
  if (isKnown) return state;
  return { ...state, memory: { ...memory, exits: new Map(ended.map((each) => [each.id, exitOf(memory, each, at)])) } };
}

/** Returns the monotonic instant of an exit. */
export const exitOf = (
  { exits }: PodMemory,
  { id, finishedAt }: RuntimeContainer,
  { now, monotonic }: Moment,
): MonotonicMs => exits.get(id) ?? monotonic - Math.max(0, now - finishedAt);
