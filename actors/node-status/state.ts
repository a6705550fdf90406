import type { MonotonicMs } from '../../src/actor/clock.ts';
import { isAlreadyExists, isConflict, isNotFound, isRefused, type ApiFault } from '../../src/api/api-request.ts';
import type { Node, NodeStatus } from '../../src/kube/node.ts';
import type { Platform, RegistrationSettings } from '../../src/node/object/node-registration.ts';
import {
  initialNode,
  ownLabelChanges,
  platformLabels,
  registrationPatch,
} from '../../src/node/object/node-registration.ts';
import { publishedAddresses } from '../../src/node/object/node-addresses.ts';
import type { NodeObservation, StatusSettings } from '../../src/node/object/node-status.ts';
import { currentNodeStatus, verdicts } from '../../src/node/object/node-status.ts';
import { nodeStatusPatch, saysTheSame } from '../../src/node/object/node-status-patch.ts';
import { backOffMs } from '../../src/actor/back-off.ts';

export interface NodeStatusSettings {
  readonly registration: RegistrationSettings;
  readonly status: StatusSettings;
  readonly registerNode: boolean;
  /** How often the status is computed, and how often an unchanged status is sent. */
  readonly updateFrequencyMs: number;
  readonly reportFrequencyMs: number;
  /** The most images listed; -1 lists all. */
  readonly maxImages: number;
}

/**
 * The state of the node object. `create`: must be created. `get`: must be read. `adopt`: existed before; this node's
 * own fields must be corrected. `keep`: belongs to this node; its status is kept up to date.
 */
export type Step = 'create' | 'get' | 'adopt' | 'keep';

export interface NodeStatusState {
  readonly step: Step;
  /** `true` if the object must be adopted after it was read. */
  readonly registering: boolean;
  readonly node: Node | undefined;
  /** `true` if changes must be reported now. */
  readonly due: boolean;
  /** Consecutive failures. */
  readonly failures: number;
  /** Monotonic instant before which no call is made. */
  readonly notBefore: MonotonicMs;
  readonly busy: boolean;
  /** `true` if the watch delivers every change of the object. */
  readonly watched: boolean;
  /** Monotonic instant of the last report. */
  readonly reportedAt: MonotonicMs | undefined;
  /** Offset that spreads the reports of nodes that changed together. */
  readonly offsetMs: number;
  /** The last status sent, and the server's answer. Fields that the server does not know must not be sent for ever. */
  readonly sent: { readonly wanted: NodeStatus; readonly answered: NodeStatus } | undefined;
}

export const initialState = ({ registerNode }: Pick<NodeStatusSettings, 'registerNode'>): NodeStatusState => ({
  step: registerNode ? 'create' : 'get',
  registering: registerNode,
  node: undefined,
  due: true,
  failures: 0,
  notBefore: 0,
  busy: false,
  watched: false,
  reportedAt: undefined,
  offsetMs: 0,
  sent: undefined,
});

/** One call to the API server. */
export type NodeCall =
  | { readonly type: 'create'; readonly node: Node }
  | { readonly type: 'get' }
  | { readonly type: 'patch-node'; readonly patch: object }
  | {
      readonly type: 'patch-status';
      readonly patch: object;
      readonly wanted: NodeStatus;
      readonly because: 'change' | 'period';
    };

export interface NodeFindings {
  readonly settings: NodeStatusSettings;
  readonly observed: NodeObservation;
  /** `true` if enough is known for a meaningful status. A restarted node must not appear to have failed. */
  readonly known: boolean;
  /** Monotonic milliseconds. */
  readonly now: MonotonicMs;
  /** Timestamp in the API's format. */
  readonly time: string;
}

export interface NextCall {
  readonly next: NodeStatusState;
  readonly call: NodeCall | undefined;
}

/** The next call to the API server, if any. */
export function nextCall(state: NodeStatusState, findings: NodeFindings): NextCall {
  const rest = (next: NodeStatusState): NextCall => ({ next, call: undefined });
  const start = (call: NodeCall): NextCall => ({ next: { ...state, busy: true }, call });
  if (state.busy || findings.now < state.notBefore) return rest(state);
  const { node } = state;
  if (state.step === 'create' && !findings.known) return rest(state);
  if (state.step === 'create') return start({ type: 'create', node: wantedNode(findings) });
  // After a round of failed attempts, the next attempt waits for the next round.
  if (state.step === 'get' || node === undefined) return state.due ? start({ type: 'get' }) : rest(state);
  if (state.step === 'adopt') {
    const patch = registrationPatch(node, wantedNode(findings));
    if (patch !== undefined) return start({ type: 'patch-node', patch });
    return nextCall({ ...state, step: 'keep', registering: false }, findings);
  }
  if (!findings.known || (!state.due && !hasTurned(node, findings))) return rest(state);
  const labels = ownLabelChanges(node, platformLabels(platformOf(findings)));
  if (labels !== undefined) {
    return start({ type: 'patch-node', patch: withUid(node, { metadata: { labels } }) });
  }
  const before = node.status ?? {};
  const { settings, observed, time } = findings;
  const addresses = publishedAddresses(before.addresses, observed.addresses, settings.registration);
  const wanted = currentNodeStatus(before, { ...observed, addresses }, { settings: settings.status, now: time });
  const changed = !saysTheSame(before, wanted) && !wasSentInVain(state, before, wanted);
  if (!changed && !isPeriodOver(state, findings)) return rest({ ...state, due: false });
  const status = nodeStatusPatch(before, wanted) ?? {};
  return start({
    type: 'patch-status',
    patch: withUid(node, { status }),
    wanted,
    because: changed ? 'change' : 'period',
  });
}

/** `true` if one of the node's own conditions differs from its object: such a change is reported at once. */
function hasTurned({ status }: Node, { observed, settings }: NodeFindings): boolean {
  const said = new Map((status?.conditions ?? []).map((condition) => [condition.type, condition.status]));
  return verdicts(status ?? {}, observed, settings.status).some((verdict) => said.get(verdict.type) !== verdict.status);
}

function wasSentInVain({ sent }: NodeStatusState, before: NodeStatus, wanted: NodeStatus): boolean {
  return sent !== undefined && saysTheSame(sent.answered, before) && saysTheSame(sent.wanted, wanted);
}

function isPeriodOver({ reportedAt, offsetMs }: NodeStatusState, { settings, now }: NodeFindings): boolean {
  return reportedAt !== undefined && now - reportedAt >= settings.reportFrequencyMs + offsetMs;
}

const platformOf = ({ observed }: NodeFindings): Platform => observed.machine;

function wantedNode(findings: NodeFindings): Node {
  const { settings, observed, time } = findings;
  const status = currentNodeStatus({}, observed, { settings: settings.status, now: time });
  return initialNode(settings.registration, platformOf(findings), status);
}

/** Adds the object's UID to a patch, so that it never applies to another object of the same name. */
function withUid({ metadata }: Node, patch: { readonly metadata?: object; readonly status?: object }): object {
  return metadata.uid === undefined ? patch : { ...patch, metadata: { ...patch.metadata, uid: metadata.uid } };
}

export interface CallEnd {
  readonly call: NodeCall;
  readonly answer: Node | undefined;
  readonly fault: ApiFault | undefined;
  readonly now: MonotonicMs;
  /** A random number in [0, 1). */
  readonly chance: number;
}

const REGISTER_BACK_OFF = { initialMs: 100, maxMs: 7_000 };
const TRIES_A_ROUND = 5;

/** Updates the state after a call. */
export function afterCall(state: NodeStatusState, end: CallEnd, settings: NodeStatusSettings): NodeStatusState {
  const { call, answer, fault, now } = end;
  if (fault !== undefined) return afterFault({ ...state, busy: false }, { fault, call, now }, settings);
  const done = { ...state, busy: false, failures: 0, node: answer ?? state.node };
  switch (call.type) {
    case 'create':
      return { ...done, step: 'keep', registering: false, reportedAt: now, sent: undefined };
    case 'get':
      return { ...done, step: state.registering ? 'adopt' : 'keep' };
    case 'patch-node':
      return { ...done, step: 'keep', registering: false };
    case 'patch-status': {
      const offsetMs = call.because === 'change' ? (end.chance - 0.5) * settings.reportFrequencyMs : 0;
      const sent = { wanted: call.wanted, answered: answer?.status ?? {} };
      return { ...done, due: false, reportedAt: now, offsetMs, sent };
    }
    default:
      return call satisfies never;
  }
}

function afterFault(
  state: NodeStatusState,
  { fault, call, now }: { readonly fault: ApiFault; readonly call: NodeCall; readonly now: MonotonicMs },
  { registerNode }: NodeStatusSettings,
): NodeStatusState {
  const failures = state.failures + 1;
  const waitMs = backOffMs(failures, REGISTER_BACK_OFF);
  const retryAfterMs = fault.kind === 'refused' ? (fault.retryAfterMs ?? 0) : 0;
  const later = { ...state, failures, notBefore: now + Math.max(waitMs, retryAfterMs) };
  if (call.type === 'create') {
    // `Forbidden` counts too: a node may have permission to update its object, but not to create it.
    const isThere = isAlreadyExists(fault) || (isRefused(fault, 'Forbidden') && state.failures === 0);
    return isThere ? { ...later, notBefore: now, step: 'get', registering: true, due: true } : later;
  }
  if (isNotFound(fault)) {
    // The object was deleted while this node runs, or never created. A node that does not register itself waits until
    // another program has registered it.
    const gone = { ...later, node: undefined, sent: undefined };
    return registerNode ? { ...gone, step: 'create', registering: true } : { ...gone, step: 'get', due: false };
  }
  if (state.registering) return { ...later, step: 'get', due: true };
  // The next attempt starts from the server's current object.
  return { ...later, notBefore: isConflict(fault) ? now : later.notBefore, step: 'get', due: failures < TRIES_A_ROUND };
}

/** Updates the state with an object from the watch. Versions older than the known one are ignored. */
export function seen(
  state: NodeStatusState,
  node: Node | undefined,
  { registerNode }: Pick<NodeStatusSettings, 'registerNode'>,
): NodeStatusState {
  const watched = { ...state, watched: true };
  if (node === undefined) {
    // The object was deleted while this node runs. A call under way notices the deletion by itself.
    if (state.busy || state.node === undefined) return watched;
    return {
      ...watched,
      step: registerNode ? 'create' : 'get',
      registering: registerNode,
      node: undefined,
      sent: undefined,
    };
  }
  const known = state.node?.metadata;
  if (known === undefined || isOlder(node.metadata.resourceVersion, known.resourceVersion)) return watched;
  if (known.uid !== node.metadata.uid) return { ...watched, node, step: 'get', due: true, registering: registerNode };
  return { ...watched, node };
}

/**
 * `true` if a version is older than, or equal to, another: versions of one object grow, and can be compared (KEP-5504).
 */
function isOlder(version: string | undefined, than: string | undefined): boolean {
  if (version === undefined || than === undefined || !/^\d+$/.test(version) || !/^\d+$/.test(than)) return false;
  return version.length === than.length ? version <= than : version.length < than.length;
}

/** Starts the next round, with all its attempts. */
export const whenDue = (state: NodeStatusState): NodeStatusState => ({
  ...state,
  due: true,
  failures: state.step === 'create' || state.registering ? state.failures : 0,
  // Without a watch the object may have changed meanwhile.
  step: state.step === 'keep' && !state.busy && !state.watched ? 'get' : state.step,
});
