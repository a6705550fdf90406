import type { ApiFault, ApiOutcome, ApiRequest } from './api-request.ts';

/** The way to an API server: over the network, or to one in the same process. Never rejects. */
export interface ApiTransport {
  call(request: ApiRequest, timeoutMs: number): Promise<ApiOutcome<unknown>>;
  /** Opens a watch; the returned function ends it without a word to its listener. */
  watch(path: string, listener: WatchListener): () => void;
  close(): void;
}

/** A watch always ends, once. What comes between are `WatchEvent`s as parsed JSON, several at once where they came so. */
export interface WatchListener {
  events(events: readonly WatchEvent[]): void;
  /** Undefined: the server ended it in good order, as it does after its own timeout. */
  ended(fault: ApiFault | undefined): void;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}
