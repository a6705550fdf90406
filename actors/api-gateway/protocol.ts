import type { MonotonicMs } from '../../src/actor/clock.ts';
import {
  addressOf,
  type Address,
  type AddressOf,
  type Listener,
  type Tagged,
} from '../../src/actor/messages/message.ts';
import type { ApiFault, ApiOutcome, ApiRequest } from '../../src/api/api-request.ts';
import type { WatchEvent } from '../../src/api/api-transport.ts';

/** Messages that other actors send to the API gateway. */
export type ApiGatewayCommand =
  /** Opens a watch and sends its events to `subscriber`. `watch` is the subscriber's own name for the watch. */
  | {
      readonly type: 'open-watch';
      readonly watch: string;
      readonly path: string;
      readonly subscriber: AddressOf<Listener<WatchNotice>>;
    }
  | { readonly type: 'close-watch'; readonly watch: string; readonly subscriber: Address };

/** One call to the API server. */
export interface ApiCallQuestion extends Tagged {
  readonly type: 'call';
  readonly request: ApiRequest;
  /** Time for the call itself, counted from its turn. */
  readonly timeoutMs: number;
}

export type ApiGatewayQuestion = ApiCallQuestion | { readonly type: 'api-health' };

export interface ApiGatewayProtocol {
  readonly command: ApiGatewayCommand;
  readonly question: ApiGatewayQuestion;
  readonly answers: {
    readonly call: ApiOutcome<unknown>;
    readonly 'api-health': ApiHealth;
  };
}

export const API_GATEWAY = addressOf<ApiGatewayProtocol>('api-gateway');

/** Reachability of the API server. Instants are wall-clock milliseconds. */
export type ApiHealth =
  | { readonly state: 'connecting' }
  | { readonly state: 'up'; readonly since: MonotonicMs }
  | { readonly state: 'down'; readonly since: MonotonicMs; readonly fault: ApiFault };

/** Notice from the gateway to the actors that depend on the server's health. */
export type ApiHealthChanged = { readonly type: 'api-health-changed'; readonly health: ApiHealth };

/** Notices from the gateway to the subscriber of a watch. */
export type WatchNotice =
  | { readonly type: 'watch-events'; readonly watch: string; readonly events: readonly WatchEvent[] }
  /**
   * The watch is closed; the subscriber may open another. `fault` is `undefined` when the server ended the watch in
   * good order.
   */
  | { readonly type: 'watch-ended'; readonly watch: string; readonly fault: ApiFault | undefined };
