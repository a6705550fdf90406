import type { FetchedManifest } from './protocol.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

export type FetchManifest = () => Promise<FetchedManifest>;

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 10 * 1024 * 1024;

/** A GET of a URL with configured headers, as the kubelet makes it. */
export function fetchManifest(url: string, headers: Readonly<Record<string, readonly string[]>>): FetchManifest {
  const pairs = Object.entries(headers).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return async () => {
    try {
      const response = await fetch(url, { headers: pairs, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.status !== 200) {
        await response.body?.cancel();
        return { ok: false, problem: `${url} answered ${response.status}` };
      }
      const parts: Uint8Array[] = [];
      let size = 0;
      for await (const part of response.body ?? []) {
        size += part.length;
        if (size > MOST_BYTES) return { ok: false, problem: `${url} returned more than ${MOST_BYTES} bytes (10 MiB)` };
        parts.push(part);
      }
      return { ok: true, body: Buffer.concat(parts).toString('utf8') };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
      return { ok: false, problem: `${url}: ${messageOf(error)}${cause}` };
    }
  };
}
