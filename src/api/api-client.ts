import type { ApiOutcome, ApiPriority, ApiRequest, PatchType } from './api-request.ts';

/** How one call is made: through the gateway, or straight to a transport. Never rejects while its caller lives. */
export type ApiCall = (request: ApiRequest) => Promise<ApiOutcome<unknown>>;

/** Calls to the API server. The type of an answer is the caller's claim: whoever reads untrusted objects checks them. */
export interface ApiClient {
  get<T>(path: string, priority?: ApiPriority): Promise<ApiOutcome<T>>;
  create<T>(path: string, body: object, priority?: ApiPriority): Promise<ApiOutcome<T>>;
  update<T>(path: string, body: object, priority?: ApiPriority): Promise<ApiOutcome<T>>;
  patch<T>(
    path: string,
    patch: { readonly type: PatchType; readonly body: object },
    priority?: ApiPriority,
  ): Promise<ApiOutcome<T>>;
  delete<T>(path: string, options: object, priority?: ApiPriority): Promise<ApiOutcome<T>>;
}

export function apiClient(call: ApiCall): ApiClient {
  const typed = async <T>(request: ApiRequest): Promise<ApiOutcome<T>> => (await call(request)) as ApiOutcome<T>;
  return {
    get: (path, priority = 'object') => typed({ verb: 'get', path, priority }),
    create: (path, body, priority = 'object') => typed({ verb: 'create', path, body, priority }),
    update: (path, body, priority = 'object') => typed({ verb: 'update', path, body, priority }),
    patch: (path, { type, body }, priority = 'object') =>
      typed({ verb: 'patch', path, body, patchType: type, priority }),
    delete: (path, options, priority = 'object') => typed({ verb: 'delete', path, body: options, priority }),
  };
}
