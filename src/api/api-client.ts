import { answerProblem, withoutNulls } from './answer-shapes.ts';
import { isUnread } from './api-request.ts';
import { excerpt } from '../kube/text/excerpt.ts';
import { describeProblem } from './unread-reports.ts';
import type { ApiOutcome, ApiPriority, ApiRequest, PatchType } from './api-request.ts';

/** Makes one call, through the gateway or straight to a transport. Never rejects while its caller lives. */
export type ApiCall = (request: ApiRequest) => Promise<ApiOutcome<unknown>>;

/**
 * Calls to the API server. The caller chooses the type of the answer; its shape is checked by the resource in the
 * path. An answer that the code could not read is a fault of that call alone.
 */
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

/**
 * Returns the outcome if its answer has the shape of its resource. Otherwise returns a fault that names the
 * problem.
 */
export function readable(request: ApiRequest, outcome: ApiOutcome<unknown>): ApiOutcome<unknown> {
  if (!outcome.ok || isUnread(request)) return outcome;
  const problem = answerProblem(request.path, outcome.value);
  if (problem === undefined) return { ok: true, value: withoutNulls(outcome.value) };
  const message = `${request.verb} ${request.path}: the answer cannot be read: ${describeProblem(problem)}`;
  return { ok: false, fault: { kind: 'unreadable', message: excerpt(message) } };
}

export function apiClient(call: ApiCall): ApiClient {
  const typed = async <T>(request: ApiRequest): Promise<ApiOutcome<T>> =>
    // `readable` has checked the answer as deep as the code reads it.
    readable(request, await call(request)) as ApiOutcome<T>;
  return {
    get: (path, priority = 'object') => typed({ verb: 'get', path, priority }),
    create: (path, body, priority = 'object') => typed({ verb: 'create', path, body, priority }),
    update: (path, body, priority = 'object') => typed({ verb: 'update', path, body, priority }),
    patch: (path, { type, body }, priority = 'object') =>
      typed({ verb: 'patch', path, body, patchType: type, priority }),
    delete: (path, options, priority = 'object') => typed({ verb: 'delete', path, body: options, priority }),
  };
}
