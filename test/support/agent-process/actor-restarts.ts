import type { AdminClient } from '../../../src/cli/admin/admin-client.ts';
import { waitUntil } from '../containerd/wait-until.ts';

/** Returns the crashes of each actor, by thread. Every thread must answer; a thread under replacement is awaited. */
export type Restarts = Readonly<Record<string, Readonly<Record<string, number>>>>;

const THREADS = ['cri', 'main', 'node', 'pleg', 'pods-0', 'pods-1'];

export function actorRestarts(admin: AdminClient): Promise<Restarts> {
  const ask = async (): Promise<Restarts | false> => {
    const threads = await admin.threads();
    if (THREADS.some((name) => threads.every(({ thread }) => thread !== name))) return false;
    return Object.fromEntries(
      threads.map(({ thread, actors }) => [
        thread,
        Object.fromEntries(Object.entries(actors).map(([address, { restarts }]) => [address, restarts])),
      ]),
    );
  };
  return waitUntil(ask, { what: 'every thread answers', withinMs: 20_000, everyMs: 50 });
}
