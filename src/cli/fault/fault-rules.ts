import { parseGoDuration } from '../../kube/text/go-duration.ts';
import { UserError } from '../user-error.ts';

/** The common options of fault commands: how often, how long, how much. */
export interface FaultLimits {
  readonly rate?: string;
  readonly atMost?: string;
  readonly minutes?: string;
  readonly seed?: string;
}

/** A plan as it is sent. The agent validates it, since it knows its actors and threads. */
export interface WrittenPlan {
  readonly seed?: number;
  readonly blastRadius?: { readonly maxMinutes: number };
  readonly rules: readonly [WrittenRule];
}

interface WrittenRule {
  readonly match: Readonly<Record<string, string>>;
  readonly when?: Readonly<Record<string, number>>;
  readonly action: Readonly<Record<string, string | number>>;
}

/** Returns a plan of one rule. */
export function planOf({ match, action }: Omit<WrittenRule, 'when'>, limits: FaultLimits): WrittenPlan {
  const when: Record<string, number> = {};
  if (limits.rate !== undefined) when['rate'] = rateFrom(limits.rate);
  if (limits.atMost !== undefined) when['atMost'] = numberFrom('--at-most', limits.atMost);
  return {
    ...(limits.seed !== undefined && { seed: numberFrom('--seed', limits.seed) }),
    ...(limits.minutes !== undefined && { blastRadius: { maxMinutes: numberFrom('--minutes', limits.minutes) } }),
    rules: [{ match, ...(Object.keys(when).length > 0 && { when }), action }],
  };
}

/** Reads a target: `pleg:relist` is the message `relist` to the actor `pleg`; `pleg` is any message to it. */
export function targetFrom(text: string): Readonly<Record<string, string>> {
  const colon = text.lastIndexOf(':');
  const [actor, message] = colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
  if (actor === '' || message === '') throw new UserError(`${text} is not ACTOR or ACTOR:MESSAGE, such as pleg:relist`);
  return { actor, ...(message !== undefined && { message }) };
}

const CRI_FAULT = /^(?<method>[A-Za-z]+)=(?<fault>[A-Za-z_-]+|[\d.]+[a-zµ]+(?:[\d.]+[a-zµ]+)*)(?:@(?<rate>[\d.]+%?))?$/;

/**
 * Reads `StartContainer=UNAVAILABLE@10%`: a CRI method, a fault, and the share of calls. The fault is a gRPC code, a
 * duration (a delay), `drop`, `lose-answer`, `hang`, `duplicate` or `reorder`.
 */
export function criFaultFrom(text: string): Omit<WrittenRule, 'when'> & { readonly rate: string | undefined } {
  const { method, fault, rate } = CRI_FAULT.exec(text)?.groups ?? {};
  if (method === undefined || fault === undefined) {
    throw new UserError(`${text} is not METHOD=FAULT or METHOD=FAULT@RATE, such as StartContainer=UNAVAILABLE@10%`);
  }
  return { match: { criMethod: method }, action: callAction(fault), rate };
}

function callAction(fault: string): WrittenRule['action'] {
  if (/^\d/.test(fault)) return { type: 'delay', delayMs: durationFrom(fault) };
  switch (fault) {
    case 'lose-answer':
      return { type: 'drop', lose: 'answer' };
    case 'drop':
    case 'hang':
    case 'duplicate':
    case 'reorder':
      return { type: fault };
    default:
      return { type: 'error', code: fault };
  }
}

const API_FAULT =
  /^(?<verb>[A-Za-z-]+|\*)(?: +(?<resource>[a-z*/]+))?=(?<fault>\d{3}|[a-z-]+|[\d.]+[a-zµ]+(?:[\d.]+[a-zµ]+)*)(?:@(?<rate>[\d.]+%?))?$/;

/**
 * Reads `GET pods=429@10%`: a verb of Kubernetes or a method of HTTP, a resource, a fault, and the share of calls. The
 * fault is an HTTP status, `unreachable`, `unreadable`, a duration, `drop`, `lose-answer`, `hang` or `duplicate`.
 */
export function apiFaultFrom(text: string): Omit<WrittenRule, 'when'> & { readonly rate: string | undefined } {
  const { verb, resource, fault, rate } = API_FAULT.exec(text)?.groups ?? {};
  if (verb === undefined || fault === undefined) {
    throw new UserError(`${text} is not VERB RESOURCE=FAULT or VERB RESOURCE=FAULT@RATE, such as 'GET pods=429@10%'`);
  }
  const match = {
    at: 'api',
    ...(verb !== '*' && { apiVerb: verb }),
    ...(resource !== undefined && { apiResource: resource }),
  };
  return { match, action: /^\d{3}$/.test(fault) ? { type: 'error', code: fault } : callAction(fault), rate };
}

/** Returns the milliseconds of a duration such as `500ms` or `1m30s`. */
export function durationFrom(text: string): number {
  const ms = parseGoDuration(text);
  if (ms === undefined || ms < 0) throw new UserError(`${text} is not a duration such as 500ms or 5s`);
  return ms;
}

/** Returns the share in `10%` or `0.1`. */
function rateFrom(text: string): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text) ?? [];
  if (digits === undefined) throw new UserError(`${text} is not a rate such as 10% or 0.1`);
  return percent === '%' ? Number(digits) / 100 : Number(digits);
}

function numberFrom(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) throw new UserError(`${option} takes a number, not ${text}`);
  return number;
}
