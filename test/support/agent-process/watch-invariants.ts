import { setTimeout as delay } from 'node:timers/promises';
import type { Container, PodSandbox } from '../../../src/cri/gen/api.ts';
import type { CriConnection } from '../containerd/cri-connection.ts';
import { REVISION_LABEL } from './chaos-pods.ts';
import { isReadySandbox, isRunning, listRuntime } from './runtime-view.ts';

const LOOK_EVERY_MS = 200;
const RESTART_COUNT = 'io.kubernetes.container.restartCount';

export interface InvariantReport {
  readonly looks: number;
  readonly longestBetweenLooksMs: number;
  readonly breaches: readonly string[];
  /** The longest that a container of a pod was seen to run after its manifest had gone, in milliseconds. */
  readonly longestAfterlifeMs: number;
}

/** What must hold of the runtime at every moment, looked at again and again by its own lists. */
export class InvariantWatch {
  readonly #cri: CriConnection;
  readonly #afterlifeMs: number;
  readonly #breaches = new Set<string>();
  /** By pod and revision, when its manifest went. */
  readonly #gone = new Map<string, number>();
  /** By pod UID: `pod revision`. */
  readonly #revisions = new Map<string, string>();
  /** By pod UID and container name: the highest restart count, and the containers at the last look. */
  readonly #restarts = new Map<string, { readonly count: number; readonly seen: string }>();
  #looks = 0;
  #longestBetween = 0;
  #longestAfterlife = 0;
  #goesOn = true;
  readonly #watching: Promise<void>;

  /** `afterlifeMs`: how long a container may run after its pod's manifest has gone. */
  constructor(cri: CriConnection, afterlifeMs: number) {
    this.#cri = cri;
    this.#afterlifeMs = afterlifeMs;
    this.#watching = this.#watch();
  }

  /** The pod of this name (as on the node) and revision is not wanted any more, from now on. */
  gone(pod: string, revision: number): void {
    this.#gone.set(`${pod} ${revision}`, performance.now());
  }

  async end(): Promise<InvariantReport> {
    this.#goesOn = false;
    await this.#watching;
    return {
      looks: this.#looks,
      longestBetweenLooksMs: Math.round(this.#longestBetween),
      breaches: [...this.#breaches],
      longestAfterlifeMs: Math.round(this.#longestAfterlife),
    };
  }

  async #watch(): Promise<void> {
    let last = performance.now();
    while (this.#goesOn) {
      const list = await listRuntime(this.#cri).catch(() => undefined);
      const now = performance.now();
      if (list !== undefined) {
        this.#longestBetween = Math.max(this.#longestBetween, now - last);
        last = now;
        this.#look(list.sandboxes, list.containers, now);
      }
      await delay(Math.max(0, LOOK_EVERY_MS - (performance.now() - now)));
    }
  }

  #look(sandboxes: readonly PodSandbox[], containers: readonly Container[], now: number): void {
    this.#looks++;
    for (const { labels } of sandboxes) {
      this.#revisions.set(uidOf(labels), `${labels['io.kubernetes.pod.name']} ${labels[REVISION_LABEL]}`);
    }
    this.#never2(
      'ready sandbox',
      sandboxes.filter(isReadySandbox).map(({ id, labels }) => [uidOf(labels), id]),
    );
    const running = containers.filter(isRunning);
    this.#never2(
      'running container',
      running.map(({ id, labels, metadata }) => [`${uidOf(labels)}/${metadata?.name}`, id]),
    );
    for (const container of running) this.#mustNotOutlive(container, now);
    this.#restartsNeverFall(containers);
  }

  #never2(what: string, all: readonly (readonly [key: string, id: string])[]): void {
    const seen = new Map<string, string>();
    for (const [key, id] of all) {
      const other = seen.get(key);
      if (other !== undefined) this.#breach(key, `two at once of ${what}: ${[other, id].sort().join(' and ')}`);
      seen.set(key, id);
    }
  }

  #mustNotOutlive({ labels, metadata }: Container, now: number): void {
    const since = this.#gone.get(this.#revisions.get(uidOf(labels)) ?? '');
    if (since === undefined) return;
    this.#longestAfterlife = Math.max(this.#longestAfterlife, now - since);
    if (now - since > this.#afterlifeMs) {
      this.#breach(uidOf(labels), `${metadata?.name} runs more than ${this.#afterlifeMs} ms after its pod has gone`);
    }
  }

  #restartsNeverFall(containers: readonly Container[]): void {
    const byKey = Map.groupBy(containers, ({ labels, metadata }) => `${uidOf(labels)}/${metadata?.name}`);
    for (const [key, all] of byKey) {
      const count = Math.max(...all.map(restartCountOf));
      const seen = all.map(inWords).join(', ');
      const before = this.#restarts.get(key);
      // A pod that is going away loses its containers one after the other.
      const isGoing = this.#gone.has(this.#revisions.get(key.split('/')[0] ?? '') ?? '');
      if (before !== undefined && count < before.count && !isGoing) {
        this.#breach(key, `restart count fell from ${before.count} (${before.seen}) to ${count} (${seen})`);
      }
      this.#restarts.set(key, { count, seen });
    }
  }

  #breach(key: string, what: string): void {
    const [uid = ''] = key.split('/');
    this.#breaches.add(`${this.#revisions.get(uid) ?? '?'} (${key}): ${what}`);
  }
}

const restartCountOf = ({ annotations }: Container): number => Number(annotations[RESTART_COUNT] ?? 0);

const inWords = (container: Container): string =>
  `${container.id.slice(0, 8)} in ${container.podSandboxId.slice(0, 8)} state ${container.state} ` +
  `restarted ${restartCountOf(container)} times, created ${container.createdAt}`;

const uidOf = (labels: Readonly<Record<string, string>>): string => labels['io.kubernetes.pod.uid'] ?? '';
