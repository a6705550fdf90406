import type { IncomingHttpHeaders } from 'node:http';
import type { EndpointName, StreamEndpoint } from './endpoints.ts';

/** A request that may be answered. */
export interface AllowedRequest {
  readonly endpoint: EndpointName;
  readonly method: string;
  /** The path of the request, undecoded. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Reads the request body. Only endpoints that need the body call this. */
  body(): Promise<string>;
  readonly parameters: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  /** The client has left. */
  readonly signal: AbortSignal;
}

/** A request that may be answered, for an endpoint that is answered in plain HTTP. */
export type PlainRequest = AllowedRequest & { readonly endpoint: Exclude<EndpointName, StreamEndpoint> };
