import type { Clock } from '../../src/actor/clock.ts';
import type { FetchedManifest } from './protocol.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

export type FetchManifest = () => Promise<FetchedManifest>;

/** From the request to the last byte of the body. */
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 10 * 1024 * 1024;

/** A GET of a URL with configured headers, as the kubelet makes it. Never rejects. */
export function fetchManifest(
  url: string,
  headers: Readonly<Record<string, readonly string[]>>,
  clock: Pick<Clock, 'after'>,
): FetchManifest {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return async () => {
    const late = new AbortController();
    const disarm = clock.after(TIMEOUT_MS, () => late.abort());
    try {
      const response = await fetch(url, { headers: pairs, signal: late.signal });
      if (response.status !== 200) {
        await response.body?.cancel();
        return { ok: false, problem: `${url} answered ${response.status}` };
      }
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const part of response.body ?? []) {
        size += part.length;
        if (size > MOST_BYTES)
          return { ok: false, problem: `${url} returned more than the limit of ${MOST_BYTES} bytes (10 MiB)` };
        parts.push(part);
      }
      return { ok: true, body: Buffer.concat(parts).toString('utf8') };
    } catch (error) {
      if (late.signal.aborted)
        return { ok: false, problem: `${url} took longer than the limit of ${TIMEOUT_MS / 1000} s` };
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      return { ok: false, problem: `${url}: ${messageOf(error)}${cause}` };
    } finally {
      disarm();
    }
  };
}
