import type { ThreadFigures } from '../threads/thread-control.ts';
import { bucketEndMs } from './handler-times.ts';
import type { KindFigures } from './kind-figures.ts';
import { labelText } from '../../metrics/metric-labels.ts';

type Labels = Readonly<Record<string, string>>;

/** Families in Prometheus' text format, each with its help and type before its samples. */
class Exposition {
  readonly #families = new Map<string, string[]>();

  add(
    family: { readonly name: string; readonly type: string; readonly help: string },
    labels: Labels,
    value: number,
  ): void {
    this.of(family).push(`${family.name}${labelText(labels)} ${value}`);
  }

  of({ name, type, help }: { readonly name: string; readonly type: string; readonly help: string }): string[] {
    let lines = this.#families.get(name);
    if (lines === undefined) this.#families.set(name, (lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]));
    return lines;
  }

  text(): string {
    return [...this.#families.values()].map((lines) => `${lines.join('\n')}\n`).join('');
  }
}

const gauge = (name: string, help: string) => ({ name: `hivelet_${name}`, type: 'gauge', help });
const counter = (name: string, help: string) => ({ name: `hivelet_${name}`, type: 'counter', help });

const threadFamilies: readonly (readonly [ReturnType<typeof gauge>, (figures: ThreadFigures) => number])[] = [
  [counter('thread_cpu_seconds_total', 'CPU time of the thread.'), ({ cpuMs }) => cpuMs / 1000],
  [gauge('thread_heap_used_bytes', 'Used heap of the thread.'), ({ heapUsedBytes }) => heapUsedBytes],
  [gauge('thread_external_bytes', 'Memory held by the thread outside its heap.'), ({ externalBytes }) => externalBytes],
  [
    gauge('thread_event_loop_utilisation', 'Share of time in which the event loop was not idle.'),
    ({ eventLoopUtilisation }) => eventLoopUtilisation,
  ],
  [gauge('thread_pending_asks', 'Questions waiting for an answer.'), ({ pendingAsks }) => pendingAsks],
  [gauge('thread_timers', 'Armed timers.'), ({ timers }) => timers],
];

const kindFamilies: readonly (readonly [ReturnType<typeof gauge>, (figures: KindFigures) => number])[] = [
  [gauge('actors', 'Actors that are alive.'), ({ actors }) => actors],
  [gauge('actor_mailbox_depth', 'Messages waiting in all mailboxes.'), ({ depth }) => depth],
  [gauge('actor_mailbox_deepest', 'Messages waiting in the fullest mailbox.'), ({ deepest }) => deepest],
  [counter('actor_refused_total', 'Messages refused because a mailbox was full.'), ({ refused }) => refused],
  [
    counter('actor_coalesced_total', 'Messages replaced by a later one before they were read.'),
    ({ coalesced }) => coalesced,
  ],
  [counter('actor_crashes_total', 'Incarnations that ended by a crash.'), ({ crashes }) => crashes],
  [counter('actor_restarts_total', "Starts after a crash, its own or a sibling's."), ({ restarts }) => restarts],
];

const deadLetters = counter('actor_dead_letters_total', 'Messages that were not delivered.');
const handling = {
  name: 'hivelet_actor_handler_seconds',
  type: 'histogram',
  help: 'Time that actors took to handle a message.',
};

/** Returns a thread's figures as Prometheus text. */
export function metricsText(figures: ThreadFigures): string {
  const exposition = new Exposition();
  const { thread } = figures;
  for (const [family, value] of threadFamilies) exposition.add(family, { thread }, value(figures));
  for (const [kind, kindFigures] of Object.entries(figures.kinds)) {
    const labels = { thread, kind };
    for (const [family, value] of kindFamilies) exposition.add(family, labels, value(kindFigures));
    exposition.of(handling).push(...histogramLines(labels, kindFigures));
  }
  for (const [kind, count] of Object.entries(figures.deadLettersByKind))
    exposition.add(deadLetters, { thread, kind }, count);
  return exposition.text();
}

const restarts = counter('thread_restarts_total', 'Replacements of the thread.');

/** Returns how often each thread has been replaced, as Prometheus text. */
export function threadRestartsText(threads: readonly (readonly [thread: string, restarts: number])[]): string {
  const exposition = new Exposition();
  for (const [thread, count] of threads) exposition.add(restarts, { thread }, count);
  return exposition.text();
}

function histogramLines(labels: Labels, { handlerTimes, handled }: KindFigures): readonly string[] {
  const { name } = handling;
  let below = 0;
  const buckets = handlerTimes.counts.map((count, bucket) => {
    below += count;
    const end = bucketEndMs(bucket);
    const le = end === Infinity ? '+Inf' : String(end / 1000);
    return `${name}_bucket${labelText({ ...labels, le })} ${below}`;
  });
  return [
    ...buckets,
    `${name}_sum${labelText(labels)} ${handlerTimes.sumMs / 1000}`,
    `${name}_count${labelText(labels)} ${handled}`,
  ];
}

/** Returns one gauge of the whole process, without labels. */
export function gaugeText(name: string, help: string, value: number): string {
  const exposition = new Exposition();
  exposition.add(gauge(name, help), {}, value);
  return exposition.text();
}
