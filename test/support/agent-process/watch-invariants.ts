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

/** Checks invariants of the runtime again and again, by its own lists. */
export class InvariantWatch {
  readonly #cri: CriConnection;
  readonly #afterlifeMs: number;
  readonly #breaches = new Set<string>();
  /** When the manifest was removed, by pod and revision. */
  readonly #gone = new Map<string, { readonly at: number; patienceMs: number }>();
  #disturbedUntil = 0;
  /** `pod revision`, by pod UID. */
  readonly #revisions = new Map<string, string>();
  /** IDs of containers that have been seen. */
  readonly #known = new Set<string>();
  /** The latest container, by pod UID and container name. */
  readonly #latest = new Map<string, Container>();
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
    this.#gone.set(`${pod} ${revision}`, { at: performance.now(), patienceMs: 0 });
  }

  /** No part of the agent can act for this long, so violations during this time do not count. */
  disturb(forMs: number): void {
    this.#disturbedUntil = Math.max(this.#disturbedUntil, performance.now() + forMs);
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
        if (now > this.#disturbedUntil) for (const gone of this.#gone.values()) gone.patienceMs += now - last;
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
    this.#restartsOnlyGrow(containers);
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
    const gone = this.#gone.get(this.#revisions.get(uidOf(labels)) ?? '');
    if (gone === undefined) return;
    this.#longestAfterlife = Math.max(this.#longestAfterlife, now - gone.at);
    if (gone.patienceMs > this.#afterlifeMs) {
      this.#breach(uidOf(labels), `${metadata?.name} runs more than ${this.#afterlifeMs} ms after its pod has gone`);
    }
  }

  /** Each container that comes has been restarted more often than all before it, whatever is left of those. */
  #restartsOnlyGrow(containers: readonly Container[]): void {
    const come = containers.filter(({ id }) => !this.#known.has(id));
    for (const container of come.toSorted(byCreation)) {
      this.#known.add(container.id);
      const key = `${uidOf(container.labels)}/${container.metadata?.name}`;
      const before = this.#latest.get(key);
      this.#latest.set(key, container);
      if (before === undefined || restartCountOf(container) > restartCountOf(before)) continue;
      this.#breach(key, `begun anew: ${inWords(container)} came after ${inWords(before)}`);
    }
  }

  #breach(key: string, what: string): void {
    const [uid = ''] = key.split('/');
    this.#breaches.add(`${this.#revisions.get(uid) ?? '?'} (${key}): ${what}`);
  }
}

const byCreation = (one: Container, other: Container): number => (one.createdAt < other.createdAt ? -1 : 1);

const restartCountOf = ({ annotations }: Container): number => Number(annotations[RESTART_COUNT] ?? 0);

const inWords = (container: Container): string =>
  `${container.id.slice(0, 8)} in ${container.podSandboxId.slice(0, 8)} state ${container.state} ` +
  `restarted ${restartCountOf(container)} times, created ${container.createdAt}`;

const uidOf = (labels: Readonly<Record<string, string>>): string => labels['io.kubernetes.pod.uid'] ?? '';
