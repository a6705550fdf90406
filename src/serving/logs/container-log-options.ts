import type { WallMs } from '../../actor/clock.ts';

/** The lines and the form of a container log request (PodLogOptions of the core API). */
export interface ContainerLogOptions {
  readonly follow: boolean;
  /** The container's previous instance, which has ended. */
  readonly previous: boolean;
  /** Each line begins with its instant. */
  readonly timestamps: boolean;
  /** Milliseconds since the epoch; earlier lines are left out. */
  readonly since: WallMs | undefined;
  /** How many records, counted from the end of the file. */
  readonly tailLines: number | undefined;
  /** The answer is cut after exactly this many bytes. */
  readonly limitBytes: number | undefined;
  readonly stream: 'All' | 'Stdout' | 'Stderr';
}

export type ReadLogOptions =
  | { readonly ok: true; readonly options: ContainerLogOptions }
  | { readonly ok: false; readonly status: 400 | 422; readonly problem: string };

class Unreadable extends Error {}

const invalid = (problem: string): ReadLogOptions => ({ ok: false, status: 422, problem });

const aBoolean = (query: URLSearchParams, name: string): boolean => {
  const text = query.get(name);
  if (text === null || text === '') return false;
  if (['true', '1', 't', 'T', 'TRUE', 'True'].includes(text)) return true;
  if (['false', '0', 'f', 'F', 'FALSE', 'False'].includes(text)) return false;
  throw new Unreadable(`${name} is ${JSON.stringify(text)}, it must be true or false`);
};

const aNumber = (query: URLSearchParams, name: string): number | undefined => {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^[+-]?\d+$/.test(text)) throw new Unreadable(`${name} is ${JSON.stringify(text)}, it must be a whole number`);
  return Number(text);
};

/** `tail` is what old clients write for `tailLines`; `tail=all` means every line. */
function tailLinesOf(query: URLSearchParams): number | undefined {
  const alias = query.get('tail');
  if (alias === null) return aNumber(query, 'tailLines');
  return alias === 'all' ? undefined : aNumber(query, 'tail');
}

/**
 * Reads the query of a log request. An unreadable value is the kubelet's 400, a readable but invalid value its 422.
 * `now` is wall-clock milliseconds, from which `sinceSeconds` counts back.
 */
export function readLogOptions(query: URLSearchParams, now: WallMs): ReadLogOptions {
  try {
    return checkedOptions(query, now);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { ok: false, status: 400, problem: error.message };
  }
}

function checkedOptions(query: URLSearchParams, now: WallMs): ReadLogOptions {
  const tailLines = tailLinesOf(query);
  const limitBytes = aNumber(query, 'limitBytes');
  const sinceSeconds = aNumber(query, 'sinceSeconds');
  const sinceTime = query.get('sinceTime') || undefined;
  const stream = query.get('stream') || 'All';
  if (tailLines !== undefined && tailLines < 0) return invalid(`tailLines is ${tailLines}, it must not be negative`);
  if (limitBytes !== undefined && limitBytes < 1) return invalid(`limitBytes is ${limitBytes}, it must be 1 or more`);
  if (sinceSeconds !== undefined && sinceSeconds < 1) {
    return invalid(`sinceSeconds is ${sinceSeconds}, it must be 1 or more`);
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    return invalid('sinceSeconds and sinceTime are both given, at most one of them may be');
  }
  if (stream !== 'All' && stream !== 'Stdout' && stream !== 'Stderr') {
    return invalid(`stream is ${JSON.stringify(stream)}, it must be All, Stdout or Stderr`);
  }
  if (stream !== 'All' && tailLines !== undefined) {
    return invalid(`tailLines and stream=${stream} are both given: lines are counted over all streams only`);
  }
  const sinceInstant = sinceTime === undefined ? undefined : Date.parse(sinceTime);
  if (sinceInstant !== undefined && Number.isNaN(sinceInstant)) {
    throw new Unreadable(`sinceTime is ${JSON.stringify(sinceTime)}, it must be an RFC 3339 instant`);
  }
  return {
    ok: true,
    options: {
      follow: aBoolean(query, 'follow'),
      previous: aBoolean(query, 'previous'),
      timestamps: aBoolean(query, 'timestamps'),
      since: sinceSeconds === undefined ? sinceInstant : now - sinceSeconds * 1_000,
      tailLines,
      limitBytes,
      stream,
    },
  };
}
