import { ThreadHost } from '../../src/actor/thread-host.ts';
import { TimerWheel } from '../../src/actor/timer-wheel.ts';
import { systemClock, type Clock } from '../../src/actor/clock.ts';
import { benchChild, benchEnvironment } from './bench-actors.ts';
import { BenchThreads } from './bench-threads.ts';
import { collectGarbage } from './collect-garbage.ts';
import { spread, type Figure } from './figure.ts';

function heapNow(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const newHost = (): ThreadHost =>
  new ThreadHost({ ...benchEnvironment(), thread: 'main', life: 1, report: () => {}, escalate: () => {} });

/** The cost of many idle actors. */
export async function measureIdle(actors: number): Promise<readonly Figure[]> {
  const host = newHost();
  const addresses = Array.from({ length: actors }, (_, each) => `idle/6c2a8e0e-3b0f-4c57-9d3d-${each}`);
  const before = heapNow();
  const begun = performance.now();
  // As the agent does it: each start is sent to the thread's host, without waiting for an answer.
  for (const address of addresses) host.tell('host/main', { type: 'start-actor', spec: benchChild(address) } as never);
  await new Promise((resolve) => setImmediate(resolve));
  const tookMs = performance.now() - begun;
  const bytes = heapNow() - before;
  const said = actors.toLocaleString('en');
  // Read after the heap was measured, so that the host has lived until then.
  const living = host.addresses('idle').length;
  return [
    { what: `start of an actor, ${said} of them`, value: (tookMs * 1_000) / living, unit: 'µs', target: 5 },
    { what: `memory of an idle actor, ${said} of them`, value: bytes / living, unit: 'bytes', target: 3_072 },
  ];
}

/** Time from the throw until the next incarnation has read a message. */
export async function measureActorRestart(times: number): Promise<readonly Figure[]> {
  const host = newHost();
  await host.startActor(benchChild('counter/main'));
  const took: number[] = [];
  for (let each = 0; each < times; each++) {
    const begun = performance.now();
    host.tell('counter/main', { type: 'crash' });
    await host.ask('counter/main', { type: 'what' }, 1_000);
    took.push(performance.now() - begun);
    // The rule's memory of a millisecond ago is over: each crash is the first in a row.
    await new Promise<void>((resolve) => void systemClock.after(3, resolve));
  }
  return spread('restart of an actor', took, { unit: 'ms', p99: 5 });
}

/** Time from the end of a thread until its actor answers on a new one. */
export async function measureThreadRestart(times: number): Promise<readonly Figure[]> {
  await using threads = new BenchThreads();
  await threads.start();
  const took: number[] = [];
  for (let each = 0; each < times; each++) took.push(await threads.restartWorker());
  return spread('restart of a thread', took, { unit: 'ms', p99: 150 });
}

/** The cost of many distant timers: for arming one more, and for the turning wheel. */
export function measureTimers(armed: number): readonly Figure[] {
  const time = new HandDrivenTime();
  const wheel = new TimerWheel(time);
  const nobody = (): void => {};
  timeTicks(wheel, time); // warms up
  const alone = timeTicks(wheel, time);
  const begun = performance.now();
  const cancels = Array.from({ length: armed }, (_, each) => wheel.after(3_600_000 + each, nobody));
  const armedMs = performance.now() - begun;
  const crowded = timeTicks(wheel, time);
  const cancelling = performance.now();
  for (const cancel of cancels) cancel();
  const cancelledMs = performance.now() - cancelling;
  const said = armed.toLocaleString('en');
  return [
    { what: `arming a timer, ${said} of them`, value: (armedMs * 1_000) / armed, unit: 'µs' },
    { what: `cancelling a timer, ${said} of them`, value: (cancelledMs * 1_000) / armed, unit: 'µs' },
    { what: 'tick that fires a timer, no other armed', value: alone, unit: 'µs' },
    { what: `tick that fires a timer, ${said} others armed`, value: crowded, unit: 'µs', target: 2 * alone + 1 },
  ];
}

const TICKS = 100_000;

/** Work for one timer a tick, in microseconds. */
function timeTicks(wheel: TimerWheel, time: HandDrivenTime): number {
  const again = (): void => void (cancel = wheel.after(1, again));
  let cancel = (): void => {};
  again();
  const begun = performance.now();
  for (let tick = 0; tick < TICKS; tick++) time.fireNext();
  const tookMs = performance.now() - begun;
  cancel();
  return (tookMs * 1_000) / TICKS;
}

/** A clock whose next timer fires on command: the wheel has only one. */
class HandDrivenTime implements Clock {
  #now = 0;
  #next: { readonly at: number; readonly fire: () => void } | undefined;
  now(): number {
    return this.#now;
  }
  monotonic(): number {
    return this.#now;
  }
  after(delayMs: number, fire: () => void): () => void {
    this.#next = { at: this.#now + delayMs, fire };
    return () => (this.#next = undefined);
  }
  fireNext(): void {
    const next = this.#next;
    if (next === undefined) return;
    this.#next = undefined;
    this.#now = next.at;
    next.fire();
  }
}
