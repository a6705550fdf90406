import type { ApiFault, ApiOutcome, ApiRequest } from './api-request.ts';

/** The way to an API server, over the network or in the same process. Never rejects. */
export interface ApiTransport {
  call(request: ApiRequest, timeoutMs: number): Promise<ApiOutcome<unknown>>;
  /** Opens a watch. The returned function ends the watch without calling its listener. */
  watch(path: string, listener: WatchListener): () => void;
  close(): void;
}

/**
 * Receives one watch. A watch always ends, once. Before its end, parsed `WatchEvent`s arrive, several at once when
 * the server sent them together.
 */
export interface WatchListener {
  events(events: readonly WatchEvent[]): void;
  /** `undefined` when the server ended the watch in good order, as it does after its own timeout. */
  ended(fault: ApiFault | undefined): void;
}

const eventTypes = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'] as const;
export const watchEventTypes: ReadonlySet<unknown> = new Set(eventTypes);

export interface WatchEvent {
  readonly type: (typeof eventTypes)[number];
  readonly object: unknown;
}
