import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ThreadHost } from '../../src/actor/thread-host.ts';
import { TimerWheel } from '../../src/actor/timer-wheel.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { benchChild, benchEnvironment } from './bench-actors.ts';
import { BenchThreads } from './bench-threads.ts';
import { spread, type Figure } from './figure.ts';

setFlagsFromString('--expose-gc');
// The collector, which a context made from now on knows.
const collectGarbage = runInNewContext('gc') as () => void;

function heapNow(): number {
  for (let times = 0; times < 3; times++) collectGarbage();
  return process.memoryUsage().heapUsed;
}

const newHost = (): ThreadHost =>
  new ThreadHost({ ...benchEnvironment(), thread: 'main', life: 1, report: () => {}, escalate: () => {} });

/** What it costs to have so many actors that do nothing. */
export async function measureIdle(actors: number): Promise<readonly Figure[]> {
  const host = newHost();
  const addresses = Array.from({ length: actors }, (_, each) => `idle/6c2a8e0e-3b0f-4c57-9d3d-${each}`);
  const before = heapNow();
  const begun = performance.now();
  await Promise.all(addresses.map((address) => host.startActor(benchChild(address))));
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

/** From the throw until its next life has read a message. */
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
  return spread('restart of an actor', 'ms', took, 5);
}

/** From its end until its actor answers on a new thread. */
export async function measureThreadRestart(times: number): Promise<readonly Figure[]> {
  await using threads = new BenchThreads();
  await threads.start();
  const took: number[] = [];
  for (let each = 0; each < times; each++) took.push(await threads.restartWorker());
  return spread('restart of a thread', 'ms', took, 150);
}

/** What so many timers that are far away cost those who arm one more, and the loop as it turns. */
export async function measureTimers(armed: number): Promise<readonly Figure[]> {
  const wheel = new TimerWheel(systemClock);
  const nobody = (): void => {};
  const begun = performance.now();
  const cancels = Array.from({ length: armed }, (_, each) => wheel.after(3_600_000 + each, nobody));
  const armedMs = performance.now() - begun;
  const crowded = await cpuPerTick(wheel);
  const cancelling = performance.now();
  for (const cancel of cancels) cancel();
  const cancelledMs = performance.now() - cancelling;
  const alone = await cpuPerTick(wheel);
  const said = armed.toLocaleString('en');
  return [
    { what: `arming a timer, ${said} of them`, value: (armedMs * 1_000) / armed, unit: 'µs' },
    { what: `cancelling a timer, ${said} of them`, value: (cancelledMs * 1_000) / armed, unit: 'µs' },
    { what: `CPU of a tick, ${said} timers armed`, value: crowded, unit: 'µs' },
    { what: 'CPU of a tick, no other timer armed', value: alone, unit: 'µs' },
  ];
}

const TICKS = 1_000;

async function cpuPerTick(wheel: TimerWheel): Promise<number> {
  const before = process.threadCpuUsage();
  for (let tick = 0; tick < TICKS; tick++) await new Promise<void>((resolve) => void wheel.after(1, resolve));
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / TICKS;
}
