import type { WallMs } from '../actor/clock.ts';
import { excerpt } from '../kube/text/excerpt.ts';
import type { ApiFault } from './api-request.ts';

/** Kubernetes' own reason for a status without one: a proxy answered, or the body was cut short. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export const reasonOfCode = (code: number): string => reasons[code] ?? 'Unknown';

export interface RefusedAnswer {
  readonly code: number;
  /** The `Retry-After` header: seconds or a date. */
  readonly retryAfter: string | undefined;
  readonly body: string;
  /** Wall-clock milliseconds, against which a date in `Retry-After` is counted. */
  readonly now: WallMs;
}

/** Returns the fault for an answer other than 2xx. The body may be the server's `Status`, or anything else. */
export function refusalOf({ code, retryAfter, body, now }: RefusedAnswer): ApiFault & { readonly kind: 'refused' } {
  const status = statusIn(body);
  const retryAfterMs = afterMs(retryAfter, now) ?? secondsIn(status?.details?.retryAfterSeconds);
  return {
    kind: 'refused',
    code,
    reason: textOf(status?.reason) || (reasons[code] ?? 'Unknown'),
    message:
      textOf(status?.message) || `the server answered ${code}${body === '' ? '' : `: ${excerpt(body, 200).trim()}`}`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/**
 * Returns a struct's field that an older server does not know. The server will never accept a patch with this
 * field.
 */
export function unknownFieldOf(fault: ApiFault): { readonly struct: string; readonly field: string } | undefined {
  if (fault.kind !== 'refused') return undefined;
  const match = /unable to find api field in struct (\w+) for the json field "(\w+)"/.exec(fault.message);
  return match === null ? undefined : { struct: match[1] ?? '', field: match[2] ?? '' };
}

/** Returns the fault in the object of a watch's `ERROR` event. */
export function faultOfStatus(object: unknown): ApiFault & { readonly kind: 'refused' } {
  const status = asStatus(object);
  const code = typeof status?.code === 'number' ? status.code : 500;
  return {
    kind: 'refused',
    code,
    reason: textOf(status?.reason) || (reasons[code] ?? 'Unknown'),
    message: textOf(status?.message) || `the watch ended with status ${code}`,
  };
}

interface Status {
  readonly kind?: unknown;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown } | null;
}

/** Returns the text of a member, cut to the length of a message: it goes into logs, events and statuses. */
const textOf = (value: unknown): string => (typeof value === 'string' ? excerpt(value) : '');

function statusIn(body: string): Status | undefined {
  if (!body.startsWith('{')) return undefined;
  try {
    return asStatus(JSON.parse(body));
  } catch {
    return undefined;
  }
}

const asStatus = (value: unknown): Status | undefined =>
  // The kind says that this is a Status; each of its members may be missing.
  typeof value === 'object' && value !== null && (value as Status).kind === 'Status' ? value : undefined;

/** Even if a server asks its clients to stay away for years, the agent retries after an hour. */
const LONGEST_RETRY_MS = 3_600_000;

function afterMs(header: string | undefined, now: WallMs): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Math.min(Number(header) * 1000, LONGEST_RETRY_MS);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - now), LONGEST_RETRY_MS);
}

const secondsIn = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 ? Math.min(value * 1000, LONGEST_RETRY_MS) : undefined;
