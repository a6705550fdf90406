import { splitTarget } from '../kube/text/split-target.ts';

/** The target of a request, or a refusal before the client is identified. */
export type ReadTarget =
  | { readonly ok: true; readonly path: string; readonly query: string }
  | { readonly ok: false; readonly status: 400 | 414; readonly problem: string };

/** In bytes. No endpoint needs a longer target, and a short one is cheap to parse. */
export const LONGEST_TARGET = 8 * 1024;

const SCHEME = /^https?:\/\//i;

/**
 * Reads the target of a request: `/path?query`, or a whole URL as for a proxy, whose scheme and host are dropped.
 * The path stays undecoded.
 */
export function readTarget(target: string): ReadTarget {
  // Node returns the target with one character for each byte.
  if (target.length > LONGEST_TARGET) return { ok: false, status: 414, problem: '414 URI Too Long' };
  const scheme = SCHEME.exec(target)?.[0];
  const { path, query } = splitTarget(scheme === undefined ? target : target.slice(scheme.length));
  if (scheme === undefined) {
    return path.startsWith('/') ? { ok: true, path, query } : { ok: false, status: 400, problem: '400 Bad Request' };
  }
  const slash = path.indexOf('/');
  return { ok: true, path: slash < 0 ? '/' : path.slice(slash), query };
}
