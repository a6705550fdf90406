import {
  addressOf,
  type Address,
  type AddressOf,
  type Listener,
  type Tagged,
} from '../../src/actor/messages/message.ts';
import type { ApiFault, ApiOutcome, ApiRequest } from '../../src/api/api-request.ts';
import type { WatchEvent } from '../../src/api/api-transport.ts';

/** What the API gateway can be told. */
export type ApiGatewayCommand =
  /** Open a watch and tell `subscriber` what it brings. `watch` is the subscriber's own name for it. */
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
  /** Of the call itself, once it is its turn. */
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

/** Whether the API server answers. Instants are wall-clock milliseconds. */
export type ApiHealth =
  | { readonly state: 'connecting' }
  | { readonly state: 'up'; readonly since: number }
  | { readonly state: 'down'; readonly since: number; readonly fault: ApiFault };

/** What the gateway tells those who have to know. */
export type ApiHealthChanged = { readonly type: 'api-health-changed'; readonly health: ApiHealth };

/** What the gateway tells the subscriber of a watch. */
export type WatchNotice =
  | { readonly type: 'watch-events'; readonly watch: string; readonly events: readonly WatchEvent[] }
  /** Undefined: ended in good order. The watch is closed; another is opened by asking for it. */
  | { readonly type: 'watch-ended'; readonly watch: string; readonly fault: ApiFault | undefined };
