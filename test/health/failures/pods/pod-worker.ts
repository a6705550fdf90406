import { CRASHED, event, heals, status, type Failures } from '../failure.ts';

/** How an operator hears of each failure that the README names. */
export const failures: Failures = {
  'alone; containers keep running': {
    heard: [CRASHED],
    shown: ['simulation/no-silent-failure.test.ts', 'is reported by its supervisor, and pods and duties are as before'],
  },
  "A call's outcome is unknown": {
    heard: [heals('SETTLE_MS')],
    shown: [
      'actors/pod-worker/decide.test.ts',
      'is followed by an observation newer than a second from now, before anything else is tried',
    ],
  },
  'A stop fails': {
    heard: [event('FailedKillPod'), heals('STOP_AGAIN_MS')],
    shown: [
      'actors/pod-worker/terminate.test.ts',
      'is stopped again a second after a failed stop, with the current grace period',
    ],
  },
  'An action fails': {
    heard: [event('Failed'), status('CreateContainerError')],
    shown: ['actors/pod-worker/decide.test.ts', 'shows the waiting reason right after the failure'],
  },
  'The runtime refuses to start': {
    heard: [event('Failed'), status('RunContainerError')],
    shown: [
      'actors/pod-worker/decide.test.ts',
      'is not repeated early for a container that was created and could not be started',
    ],
  },
  'A message is lost': {
    heard: [heals('syncFrequencyMs')],
    shown: [
      'simulation/simulation.test.ts',
      'holds all invariants though messages get lost, late, repeated, overtaken',
    ],
  },
  'A resize fails': {
    heard: [event('ResizeError'), status('PodResizeInProgress')],
    shown: [
      'actors/pod-worker/act/resize-pod.test.ts',
      'that fails half-way reports the resources of the first container',
    ],
  },
  'The node has no address': {
    heard: [status('CreateContainerConfigError')],
    shown: ['pod/cri-config/environment.test.ts', 'keep the container waiting while the node has none'],
  },
};
