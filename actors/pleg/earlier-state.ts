import type { RuntimeContainer, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';

export type State = RuntimeSandbox['state'] | RuntimeContainer['state'];

/** Containers and sandboxes move through their states in one direction. An event with an earlier state arrived late. */
const ages: Readonly<Record<State, number>> = {
  unknown: 0,
  created: 1,
  running: 2,
  exited: 3,
  ready: 1,
  'not-ready': 2,
};
export const isEarlierState = (seen: State, known: State | undefined): boolean =>
  known !== undefined && seen !== 'unknown' && ages[seen] < ages[known];
