import * as fc from 'fast-check';
import type { WatchEvent } from '../../../src/api/api-transport.ts';
import { hostileKey, hostileText, hostileValue } from '../hostile-values.ts';
import { applyMutations, mutationsOf, type Mutated } from '../mutation.ts';
import { type FuzzedNode, NODE, PODS } from '../node/fuzzed-node.ts';
import { nodeBench } from '../node/node-bench.ts';
import { HANDLER_MS } from '../oracle.ts';
import { apiPodBases } from '../pod-bases.ts';
import { jsonOf, textOf, valueOf, type Recipe } from '../recipe.ts';
import type { Target } from '../target.ts';

interface ApiCase {
  readonly pod: Mutated;
  /** The later version of the pod. */
  readonly later: Mutated | null;
  /** Further objects of any shape, sent with the pod. */
  readonly junk: readonly Recipe[];
  /** The content of the objects to which the pod may refer. */
  readonly data: Readonly<Record<string, Recipe>>;
  readonly labels: Readonly<Record<string, Recipe>>;
}

const bases = apiPodBases(NODE);
const HOSTILE = '/api/v1/namespaces/hostile';
/** Long enough for a pod to reach its final state. */
const LIVES_MS = 2_500;

const textByKey = fc.dictionary(hostileKey, hostileText, { maxKeys: 3 });

export const apiPods: Target<ApiCase> = {
  name: 'api-pods',
  allowedMs: HANDLER_MS,
  cases: fc.record({
    pod: mutationsOf(bases),
    // oxlint-disable-next-line unicorn/no-null -- a case is JSON
    later: fc.option(mutationsOf(bases), { freq: 3, nil: null }),
    junk: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(hostileValue, { maxLength: 2 }) },
    ),
    data: textByKey,
    labels: textByKey,
  }),
  open: () => nodeBench(feed),
};

async function feed(node: FuzzedNode, given: ApiCase): Promise<string> {
  const pod = applyMutations(bases, given.pod);
  const sent = valueOf(withLabels(pod, given.labels));
  const junk = given.junk.map(valueOf);
  await serveData(node, given.data);
  node.api.send(PODS, [...events('ADDED', sent), ...junk.flatMap((object) => events('MODIFIED', object))]);
  await node.pass(LIVES_MS);
  if (given.later !== null) {
    node.api.send(PODS, events('MODIFIED', valueOf(applyMutations(bases, given.later))));
    await node.pass(LIVES_MS);
  }
  const outcome = outcomeOf(node);
  node.api.forget(PODS);
  node.api.answer = () => undefined;
  if (mayTakeLong(jsonOf(pod)) || mayTakeLong(JSON.stringify(given.later))) await node.pass(60_000);
  else await node.comeToRest();
  return outcome;
}

/** Returns the events that a watch accepts: the reader of the network rejects values that are not objects. */
const events = (type: WatchEvent['type'], object: unknown): readonly WatchEvent[] =>
  typeof object === 'object' && object !== null ? [{ type, object }] : [];

function withLabels(pod: Recipe, labels: Readonly<Record<string, Recipe>>): Recipe {
  if (Object.keys(labels).length === 0 || !isFields(pod) || !isFields(pod['metadata'] ?? null)) return pod;
  return { ...pod, metadata: { ...(pod['metadata'] as Fields), labels, annotations: labels } };
}

type Fields = { readonly [key: string]: Recipe };
const isFields = (value: Recipe): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The config map and the secret that pods of this namespace refer to. */
async function serveData(node: FuzzedNode, data: Readonly<Record<string, Recipe>>): Promise<void> {
  const texts = Object.entries(data).map(([key, value]) => [key, textOf(value)] as const);
  const encoded = texts.map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const);
  const metadata = (name: string) => ({ name, namespace: 'hostile', uid: `uid-${name}`, resourceVersion: '900001' });
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('words'), data: Object.fromEntries(texts) };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: metadata('secrets'), data: Object.fromEntries(encoded) };
  const all: Readonly<Record<string, object>> = { words: config, secrets: secret };
  node.api.answer = ({ verb, path }) => {
    const name = path.startsWith(HOSTILE) && verb === 'get' ? path.split('?')[0]?.split('/').at(-1) : undefined;
    const value = name !== undefined && Object.hasOwn(all, name) ? all[name] : undefined;
    return value === undefined ? undefined : { ok: true, value };
  };
  node.api.serve(`${HOSTILE}/configmaps`, [config]);
  node.api.serve(`${HOSTILE}/secrets`, [secret]);
}

function outcomeOf(node: FuzzedNode): string {
  return (
    node
      .leftovers()
      .map((each) => each.split(' ')[0])
      .join(' ') || 'not on the node'
  );
}

/** Pods may request long grace periods, and get them. */
export function mayTakeLong(text: string): boolean {
  const seconds = /(?:GracePeriodSeconds|seconds|Signal)"?:\s*"?([-\d.e+]+)/g;
  return [...text.matchAll(seconds)].some(([, number]) => !(Math.abs(Number(number)) <= 60));
}
