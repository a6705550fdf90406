import { isDeepStrictEqual } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import type { AdminClient } from '../../../src/cli/admin/admin-client.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { waitUntil } from '../containerd/wait-until.ts';
import { podCalled } from './observe-pods.ts';

/** A status that a pod had, and the wall-clock instant at which it was first seen, in milliseconds. */
export interface Moment {
  readonly at: number;
  readonly pod: Pod;
}

const EVERY_MS = 50;

/** Records every observed status of a pod, so that a test can check the past. */
export class PodHistory {
  readonly #moments: Moment[] = [];
  #goesOn = true;

  constructor(admin: AdminClient, name: string) {
    void this.#record(admin, name);
  }

  async #record(admin: AdminClient, name: string): Promise<void> {
    while (this.#goesOn) {
      const pod = await podCalled(admin, name).catch(() => undefined);
      if (pod !== undefined && !isDeepStrictEqual(pod.status, this.#moments.at(-1)?.pod.status)) {
        this.#moments.push({ at: new Date().getTime(), pod });
      }
      await delay(EVERY_MS);
    }
  }

  end(): void {
    this.#goesOn = false;
  }

  /** The first status that fulfils `condition`, whether it has been already or is still to come. */
  first(condition: (pod: Pod) => boolean, { what, withinMs }: { what: string; withinMs: number }): Promise<Moment> {
    return waitUntil(() => this.#moments.find(({ pod }) => condition(pod)), { what, withinMs });
  }
}
