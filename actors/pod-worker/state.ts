import { later } from '../../src/actor/clock.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { PodWorkerProtocol, PodWorkerInit } from './protocol.ts';
import { NO_PROBES, withProbes, withVerdict } from './decide/probes-of-pod.ts';
import { NO_RESIZING, withResizeReport } from './decide/resizing.ts';
import { acted, hostIpsChanged, observed, removed, runtimeChanged, SETTLE_MS, stopped } from './decide/on-report.ts';
import { andThen, continueSync, requestStaleStatus } from './decide/observe-first.ts';
import { publishProgress } from './decide/decide-step.ts';
import { evict, reconcile, terminate, terminateRuntimePod, wantPod, wantVolumes } from './decide/on-command.ts';
import type { Decision, Moment, NodeSettings, PodWorkerState } from './worker-state.ts';

export function initialState(
  init: PodWorkerInit,
  moment: Pick<Moment, 'monotonic'>,
  restarted: boolean,
): PodWorkerState {
  const fresh = init.history === 'fresh' && !restarted;
  return {
    phase: { type: 'waiting-for-pod' },
    isNew: fresh,
    lastSequence: Number.NEGATIVE_INFINITY,
    runtimeName: init.runtimeName,
    networkNotReady: init.networkNotReady,
    hostIps: [],
    observed: undefined,
    needsNewerThan: fresh ? Number.NEGATIVE_INFINITY : moment.monotonic,
    work: { observing: 0, acting: false, stopping: 0, removing: false },
    advances: new Map(),
    decidedOn: undefined,
    status: undefined,
    statusKnown: fresh || (init.history === 'recreated' && !restarted),
    reportDue: false,
    memory: {
      failures: new Map(),
      exits: new Map(),
      crashLoops: new Map(),
      failedPulls: new Map(),
      sandboxes: undefined,
      podFailure: undefined,
    },
    probes: NO_PROBES,
    unfinishedHook: undefined,
    resizing: NO_RESIZING,
    formerLife: new Set(),
    cgroupGone: false,
  };
}

export function decide(
  state: PodWorkerState,
  command: PodWorkerProtocol['command'],
  at: Moment & NodeSettings,
): Decision {
  if (!('sequence' in command) || command.sequence === undefined)
    return reported(withProbes(decided(state, command, at), at));
  // Late or duplicate.
  if (command.sequence <= state.lastSequence) return { next: state, effects: [] };
  return reported(withProbes(decided({ ...state, lastSequence: command.sequence }, command, at), at));
}

function decided(state: PodWorkerState, command: PodWorkerProtocol['command'], at: Moment & NodeSettings): Decision {
  switch (command.type) {
    case 'sync-pod': {
      const { hostIps = state.hostIps } = command;
      const next = { ...state, hostIps, resizing: withResizeReport(state, command) };
      return andThen(wantPod(next, command.pod, at.now), at);
    }
    case 'host-ips-changed':
      return continueSync(hostIpsChanged(state, command.hostIps), at);
    case 'reconcile-pod':
      return andThen(reconcile(state, command.pod), at);
    case 'terminate-pod':
      return andThen(terminate(state, command.gracePeriodSeconds), at);
    case 'evict-pod':
      return andThen(evict(state, command), at);
    case 'terminate-runtime-pod':
      return andThen(terminateRuntimePod(state, command), at);
    case 'previous-status-read':
      return continueSync(readBack(state, command), at);
    case 'pod-status-observed':
      return continueSync(observed(state, command), at);
    case 'observed': {
      const seen = { ...state, work: { ...state.work, observing: Math.max(0, state.work.observing - 1) } };
      if (command.outcome.ok) return continueSync(observed(seen, command.outcome.value), at);
      return { next: seen, effects: [{ type: 'sync-at', at: later(at.monotonic, SETTLE_MS) }] };
    }
    case 'cgroup-gone':
      return { next: { ...state, cgroupGone: true }, effects: [] };
    case 'sandbox-ready':
      return publishProgress(observed(state, command.observed), at);
    case 'attempt-ended':
      return acted(state, command.result, at);
    case 'stopped':
      return stopped(state, command, at);
    case 'removed':
      return removed(state, command, at);
    case 'runtime-health-changed':
      return runtimeChanged(state, command, at);
    case 'probe-result':
      return continueSync(withVerdict(state, command), at);
    case 'report-probes':
      return { next: { ...state, probes: { ...state.probes, lastReport: undefined } }, effects: [] };
    case 'report-status':
      return { next: { ...state, reportDue: true }, effects: [] };
    case 'report-volumes': {
      const { phase } = state;
      return { next: state, effects: phase.type === 'syncing' ? wantVolumes(phase.pod) : [] };
    }
    case 'volume-succeeded':
    case 'volume-failed': {
      const { reason, message } = command;
      const type = command.type === 'volume-failed' ? 'Warning' : 'Normal';
      const event = { type, reason, message } as const;
      return { next: state, effects: state.phase.type === 'syncing' ? [{ type: 'tell-event', event }] : [] };
    }
    case 'sync-due':
      return andThen(requestStaleStatus(state, at), at);
    default:
      return assertNever(command, 'pod worker command');
  }
}

function readBack(
  state: PodWorkerState,
  {
    status,
    verdicts,
    unfinishedHook,
    actuated = new Map(),
  }: Extract<PodWorkerProtocol['command'], { type: 'previous-status-read' }>,
): PodWorkerState {
  // Verdicts received meanwhile are newer.
  const known = new Map([...(verdicts ?? []), ...state.probes.verdicts]);
  return {
    ...state,
    status: status ?? state.status,
    statusKnown: true,
    probes: { ...state.probes, verdicts: known },
    unfinishedHook,
    resizing: { ...state.resizing, actuated: new Map([...actuated, ...state.resizing.actuated]) },
  };
}

/** Reports the status again. Waits for a status if the previous one is still being read. */
function reported({ next, effects }: Decision): Decision {
  const { phase, status } = next;
  const pod = phase.type === 'syncing' ? phase.pod : phase.type === 'waiting-for-pod' ? undefined : phase.target.pod;
  if (!next.reportDue || pod === undefined || status === undefined) return { next, effects };
  const isRepeated = effects.some(({ type }) => type === 'publish');
  return {
    next: { ...next, reportDue: false },
    effects: isRepeated ? effects : [...effects, { type: 'publish', pod, status }],
  };
}
