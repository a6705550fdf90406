import { request as httpRequest } from 'node:http';
import type { ThreadFigures } from '../../actor/threads/thread-control.ts';
import type { Pod } from '../../kube/pod.ts';
import type { Applied, AppliedPlan } from '../../faults/fault-registry.ts';
import type { AdminBackend, PodTrace, RuntimeInfo } from './admin-backend.ts';
import type { AdminRequest } from './admin-route.ts';
import { adminTarget } from './admin-route.ts';
import type { AgentIdentity } from './admin-socket.ts';

/**
 * Why the agent did not answer. `not-running`: no process listens. `forbidden`: the socket belongs to another user.
 * `starting`: retry soon. `refused`: the agent does not allow the request. `failed`: the agent failed, or did not
 * answer in time.
 */
export type AdminErrorCode = 'not-running' | 'forbidden' | 'starting' | 'refused' | 'failed';

export class AdminError extends Error {
  readonly code: AdminErrorCode;

  constructor(code: AdminErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

const ANSWER_WITHIN_MS = 10_000;
/** A thread that hangs on purpose is noticed only by its missing heartbeats. */
const FAIL_WITHIN_MS = 30_000;

/** Sends requests to the agent behind an admin socket, one connection each. Rejects with {@link AdminError}. */
export class AdminClient implements AdminBackend {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  agent(): Promise<AgentIdentity> {
    return this.#askJson({ type: 'agent' });
  }

  async pods(): Promise<readonly Pod[]> {
    const list = await this.#askJson<{ readonly items: readonly Pod[] }>({ type: 'pods' });
    return list.items;
  }

  threads(): Promise<readonly ThreadFigures[]> {
    return this.#askJson({ type: 'threads' });
  }

  metrics(): Promise<string> {
    return this.#ask({ type: 'metrics' });
  }

  runtime(): Promise<RuntimeInfo> {
    return this.#askJson({ type: 'runtime' });
  }

  async trace(namespace: string, name: string): Promise<PodTrace | undefined> {
    const { trace } = await this.#askJson<{ readonly trace?: PodTrace }>({ type: 'trace', namespace, name });
    return trace;
  }

  applyFaults(plan: string): Promise<Applied> {
    return this.#askJson({ type: 'apply-faults' }, plan);
  }

  listFaults(): Promise<readonly AppliedPlan[]> {
    return this.#askJson({ type: 'faults' });
  }

  async clearFaults(id: number | undefined): Promise<number> {
    const { cleared } = await this.#askJson<{ readonly cleared: number }>({ type: 'clear-faults', id });
    return cleared;
  }

  async crashActor(address: string): Promise<boolean> {
    const { found } = await this.#askJson<{ readonly found: boolean }>({ type: 'crash-actor', address });
    return found;
  }

  async provokeThread(...[thread, how]: Parameters<AdminBackend['provokeThread']>): Promise<boolean> {
    const { found } = await this.#askJson<{ readonly found: boolean }>({ type: 'provoke-thread', thread, how });
    return found;
  }

  // Both ends have the same version, so the server's answer has the type that the caller expects.
  async #askJson<T>(request: AdminRequest, sent?: string): Promise<T> {
    // Both ends have the same version, so the answer has the type that the caller expects.
    return JSON.parse(await this.#ask(request, sent)) as T;
  }

  #ask(asked: AdminRequest, sent = ''): Promise<string> {
    const { method, path } = adminTarget(asked);
    const timeout = method === 'GET' ? ANSWER_WITHIN_MS : FAIL_WITHIN_MS;
    return new Promise((resolve, reject) => {
      const options = { socketPath: this.#socketPath, method, path, timeout, agent: false };
      const request = httpRequest(options, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => (body += text));
        response.on('error', (error) => reject(this.#connectionError(error)));
        response.on('end', () => {
          if (response.statusCode === 200) resolve(body);
          else reject(new AdminError(codeOfStatus(response.statusCode), body.trim()));
        });
      });
      request.on('error', (error) => reject(this.#connectionError(error)));
      request.on('timeout', () => {
        request.destroy(
          new AdminError('failed', `the agent on ${this.#socketPath} did not answer within ${timeout / 1_000} s`),
        );
      });
      request.end(sent);
    });
  }

  #connectionError(error: Error & { readonly code?: string }): AdminError {
    if (error instanceof AdminError) return error;
    switch (error.code) {
      case 'ENOENT':
      case 'ECONNREFUSED':
      case 'ENOTDIR':
        return new AdminError('not-running', `no hivelet agent listens on ${this.#socketPath}`);
      case 'EACCES':
      case 'EPERM':
        return new AdminError(
          'forbidden',
          `permission denied on ${this.#socketPath}: only the user that runs hivelet may open it`,
        );
      default:
        return new AdminError('failed', `request to the agent on ${this.#socketPath} failed: ${error.message}`);
    }
  }
}

function codeOfStatus(status: number | undefined): AdminErrorCode {
  if (status === 503) return 'starting';
  return status === 403 || status === 404 ? 'refused' : 'failed';
}
