import type { ApiOutcome, ApiRequest } from '../../../src/api/api-request.ts';
import type { ApiTransport, WatchEvent } from '../../../src/api/api-transport.ts';
import { failureOf, isReady } from '../is-ready.ts';
import { apiPod, NAMESPACES, namespaceOf, podName } from '../pod-manifest.ts';
import { rest } from '../rest.ts';

/** A client that runs pods on a node by the API alone. */
export class Cluster {
  readonly #transport: ApiTransport;
  readonly #nodeName: string;
  /** Pods of the node by UID, and whether they are Ready. */
  readonly #ready = new Map<string, boolean>();
  readonly #wereUnready = new Set<string>();
  #looks: (() => void)[] = [];

  constructor(transport: ApiTransport, nodeName: string) {
    this.#transport = transport;
    this.#nodeName = nodeName;
  }

  async prepare(): Promise<void> {
    for (const name of NAMESPACES) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      const outcome = await this.#call({ verb: 'create', path: '/api/v1/namespaces', body, priority: 'object' });
      if (!outcome.ok && !(outcome.fault.kind === 'refused' && outcome.fault.code === 409)) fail(outcome);
    }
    const path = `/api/v1/pods?watch=true&fieldSelector=spec.nodeName%3D${this.#nodeName}&resourceVersion=0`;
    this.#transport.watch(path, {
      events: (events) => this.#received(events),
      ended: (fault) => {
        throw new Error(`the bench's watch ended: ${fault?.message ?? 'in good order'}`);
      },
    });
  }

  async nodeReady(): Promise<void> {
    for (;;) {
      const path = `/api/v1/nodes/${this.#nodeName}`;
      const outcome = await this.#call({ verb: 'get', path, priority: 'object' });
      if (outcome.ok && isReady(outcome.value)) return;
      await rest(100);
    }
  }

  /** Returns how long it took until all were Ready, from just before the first was made. */
  async runPods(count: number): Promise<number> {
    const pods = Array.from({ length: count }, (_, n) => ({
      path: `/api/v1/namespaces/${namespaceOf(n)}/pods`,
      body: apiPod(n, this.#nodeName),
    }));
    const began = performance.now();
    await this.#each(pods, async ({ path, body }) =>
      fail(await this.#call({ verb: 'create', path, body, priority: 'object' })),
    );
    await this.#until(() => this.#ready.size >= count && [...this.#ready.values()].every(Boolean));
    return performance.now() - began;
  }

  async deletePods(count: number): Promise<number> {
    const paths = Array.from({ length: count }, (_, n) => `/api/v1/namespaces/${namespaceOf(n)}/pods/${podName(n)}`);
    const began = performance.now();
    await this.#each(paths, async (path) =>
      fail(await this.#call({ verb: 'delete', path, body: {}, priority: 'object' })),
    );
    await this.#until(() => this.#ready.size === 0);
    return performance.now() - began;
  }

  /** How many pods were observed as not Ready since the last call. */
  takeUnready(): number {
    const count = this.#wereUnready.size;
    this.#wereUnready.clear();
    return count;
  }

  /** As many concurrent writes as a busy controller has. */
  async #each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const rest = items.values();
    const lane = async (): Promise<void> => {
      for (const item of rest) await work(item);
    };
    await Promise.all(Array.from({ length: 50 }, lane));
  }

  #received(events: readonly WatchEvent[]): void {
    for (const { type, object } of events) {
      const { uid } = (object as { readonly metadata: { readonly uid: string } }).metadata;
      if (type === 'DELETED') this.#ready.delete(uid);
      else if (type === 'ADDED' || type === 'MODIFIED') {
        const refusal = failureOf(object);
        if (refusal !== undefined) throw new Error(`a pod has failed: ${refusal}`);
        const ready = isReady(object);
        this.#ready.set(uid, ready);
        if (!ready) this.#wereUnready.add(uid);
      } else if (type === 'ERROR') throw new Error(`the bench's watch failed: ${JSON.stringify(object)}`);
    }
    for (const look of this.#looks) look();
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo()) return;
        this.#looks = this.#looks.filter((each) => each !== look);
        resolve();
      };
      this.#looks.push(look);
      look();
    });
  }

  #call(request: ApiRequest): Promise<ApiOutcome<unknown>> {
    return this.#transport.call(request, 60_000);
  }
}

function fail(outcome: ApiOutcome<unknown>): void {
  if (!outcome.ok) throw new Error(outcome.fault.message);
}
