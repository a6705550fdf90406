/**
 * What does it cost the agent to read pods in protobuf, beside JSON: a full list, and as many events of a watch? CPU of the
 * thread that reads them, through the handlers of the transport. Both encodings take turns, and
 * the median of all rounds counts. With keeping (`…KeptMs`), each pod is also checked and compacted, as its source does.
 *
 *     npm run -s bench -- encodings [--pods 1000] [--rounds 15] [--json]
 */
import { parseArgs } from 'node:util';
import type { Dispatcher } from 'undici';
import { PodReader } from '../actors/pod-source-api/pod-reader.ts';
import { systemClock } from '../src/actor/clock.ts';
import type { Pod } from '../src/kube/pod.ts';
import { protobufCodec } from '../src/api/protobuf/protobuf-codec.ts';
import { CallHandler } from '../src/api/transport/call-handler.ts';
import { JSON_TYPE, PROTOBUF, type ContentForm } from '../src/api/transport/content-forms.ts';
import { WatchHandler } from '../src/api/transport/watch-handler.ts';
import { protobufEvent, protobufList } from '../src/embedded/apiserver/http/encode-protobuf.ts';
import { podKind } from '../src/embedded/apiserver/kinds/pod-kind.ts';
import { writtenPod } from './reflector/written-pod.ts';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
  },
});
const count = Number(values.pods);
const codec = protobufCodec();
const pods = Array.from({ length: count }, (_, index) => {
  // Absent members are absent, as in an answer.
  return JSON.parse(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', ...writtenPod(index) })) as Pod;
});
const metadata = { resourceVersion: '1' };

const lists: Readonly<Record<ContentForm, Buffer>> = {
  json: Buffer.from(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata, items: pods })),
  protobuf: protobufList(podKind, { metadata, items: pods }) ?? Buffer.alloc(0),
};
const events: Readonly<Record<ContentForm, readonly Buffer[]>> = {
  json: pods.map((object) => Buffer.from(`${JSON.stringify({ type: 'MODIFIED', object })}\n`)),
  protobuf: pods.map((object) => protobufEvent({ type: 'MODIFIED', object })),
};
const types: Readonly<Record<ContentForm, string>> = { json: JSON_TYPE, protobuf: `${PROTOBUF};stream=watch` };

/** The handlers call no method of it here. */
const controller = { abort() {} } as unknown as Dispatcher.DispatchController;

function readList(form: ContentForm): readonly unknown[] {
  let items: readonly unknown[] = [];
  const handler = new CallHandler({
    request: { verb: 'list', path: '/api/v1/pods', priority: 'object' },
    timeoutMs: 60_000,
    clock: systemClock,
    codec: form === 'protobuf' ? codec : undefined,
    resolve({ outcome }) {
      if (!outcome.ok) throw new Error(outcome.fault.message);
      ({ items } = outcome.value as { readonly items: readonly unknown[] });
    },
  });
  handler.onRequestStart(controller);
  handler.onResponseStart(controller, 200, { 'content-type': types[form] });
  handler.onResponseData(controller, lists[form]);
  handler.onResponseEnd();
  return items;
}

function readEvents(form: ContentForm): readonly unknown[] {
  const objects: unknown[] = [];
  const handler = new WatchHandler({
    path: '/api/v1/pods?watch=true',
    idleMs: 60_000,
    clock: systemClock,
    codec: form === 'protobuf' ? codec : undefined,
    begun() {},
    events: (some) => objects.push(...some.map(({ object }) => object)),
    ended({ fault }) {
      throw new Error(fault?.message ?? 'the watch ended');
    },
  });
  handler.onResponseStart(controller, 200, { 'content-type': types[form] });
  for (const event of events[form]) handler.onResponseData(controller, event);
  return objects;
}

/** Checks and compacts each pod, as the source of pods does with what it has received. */
function keep(objects: readonly unknown[]): void {
  const reader = new PodReader('node-1');
  for (const object of objects) {
    if (reader.problemOf(object, () => undefined) !== undefined) throw new Error('a pod cannot be read');
    reader.read(object, () => undefined, 0);
  }
}

function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return Math.round((user + system) / 10) / 100;
}

const forms: readonly ContentForm[] = ['json', 'protobuf'];
const works: Readonly<Record<string, (form: ContentForm) => void>> = {
  listMs: (form) => void readList(form),
  listKeptMs: (form) => keep(readList(form)),
  eventsMs: (form) => void readEvents(form),
  eventsKeptMs: (form) => keep(readEvents(form)),
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

const measured = new Map<string, number[]>();
for (let round = 0; round < Number(values.rounds); round += 1) {
  for (const [what, work] of Object.entries(works)) {
    for (const form of forms) {
      const key = `${form} ${what}`;
      measured.set(key, [...(measured.get(key) ?? []), cpuMs(() => work(form))]);
    }
  }
}
const figures = forms.map((form) => ({
  encoding: form,
  listBytes: lists[form].length,
  ...Object.fromEntries(Object.keys(works).map((what) => [what, median(measured.get(`${form} ${what}`) ?? [])])),
}));
if (values.json) process.stdout.write(`${JSON.stringify({ pods: count, figures })}\n`);
else {
  for (const figure of figures) process.stdout.write(`${JSON.stringify(figure)}\n`);
}
