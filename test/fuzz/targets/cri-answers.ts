import * as fc from 'fast-check';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import { ContainerEventResponse } from '../../../src/cri/gen/api.ts';
import { criMethods, type CriMethod, type CriMethodName } from '../../../src/cri/methods.ts';
import { changeMessage, fieldChange, type FieldChange } from '../changed-message.ts';
import { hostileBytes, hostileText } from '../hostile-values.ts';
import { type FuzzedNode, NODE, POD_UID_LABEL } from '../node/fuzzed-node.ts';
import { nodeBench } from '../node/node-bench.ts';
import { HANDLER_MS } from '../oracle.ts';
import { textOf, type Recipe } from '../recipe.ts';
import type { Target } from '../target.ts';

type Answer =
  | { readonly type: 'changed'; readonly changes: readonly FieldChange[] }
  | { readonly type: 'garbage'; readonly bytes: string }
  | { readonly type: 'cut'; readonly at: number }
  | { readonly type: 'fault'; readonly code: string; readonly detail: Recipe };

interface CriCase {
  readonly answers: readonly { readonly method: CriMethodName; readonly answer: Answer; readonly times: number }[];
  readonly events: readonly (readonly FieldChange[] | string)[];
}

/** Every CRI answer that the agent reads. */
const methods: readonly CriMethodName[] = [
  'ListContainers',
  'ListPodSandbox',
  'ContainerStatus',
  'PodSandboxStatus',
  'RunPodSandbox',
  'CreateContainer',
  'StartContainer',
  'PullImage',
  'ImageStatus',
  'ListImages',
  'ImageFsInfo',
  'Version',
  'Status',
];

const answer: fc.Arbitrary<Answer> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fieldChange, { minLength: 1, maxLength: 4 })
      .map((changes) => ({ type: 'changed' as const, changes })),
  },
  { weight: 1, arbitrary: hostileBytes.map((bytes) => ({ type: 'garbage' as const, bytes })) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 99 }).map((at) => ({ type: 'cut' as const, at })) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('fault' as const),
      code: fc.constantFrom('UNKNOWN', 'NOT_FOUND', 'ALREADY_EXISTS', 'UNAVAILABLE', 'RESOURCE_EXHAUSTED', 'INTERNAL'),
      detail: hostileText,
    }),
  },
);

export const criAnswers: Target<CriCase> = {
  name: 'cri-answers',
  allowedMs: HANDLER_MS,
  cases: fc.record({
    answers: fc.array(
      fc.record({ method: fc.constantFrom(...methods), answer, times: fc.integer({ min: 1, max: 5 }) }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    events: fc.array(fc.oneof(fc.array(fieldChange, { minLength: 1, maxLength: 3 }), hostileBytes), { maxLength: 2 }),
  }),
  open: () => nodeBench(feed),
};

const PODS_PATH = '/api/v1/namespaces/hostile/pods';

async function feed(node: FuzzedNode, given: CriCase): Promise<string> {
  const left = given.answers.map(({ times }) => times);
  const ordinary = node.ordinaryUids();
  node.runtime.answer = (method, outcome) => {
    const index = given.answers.findIndex((each, at) => each.method === method && (left[at] ?? 0) > 0);
    const rule = given.answers[index];
    if (rule === undefined) return outcome;
    const other = twisted(method, outcome, { answer: rule.answer, ordinary });
    if (other !== outcome) left[index] = (left[index] ?? 0) - 1;
    return other;
  };
  await node.create(PODS_PATH, podObject);
  await node.pass(1_500);
  for (const event of given.events) {
    const bytes = eventBytes(event);
    if (bytes !== undefined) node.runtime.sendEvent(bytes);
  }
  await node.pass(2_500);
  const outcome = node
    .statusOf('hostile')
    .replaceAll(/[0-9a-f]{8,}|\d+/g, 'N')
    .slice(0, 300);
  node.runtime.answer = (_, honest) => honest;
  await node.ask({ verb: 'delete', path: `${PODS_PATH}/hostile`, body: {}, priority: 'object' });
  await node.comeToRest(400_000);
  return outcome;
}

interface Twist {
  readonly answer: Answer;
  readonly ordinary: ReadonlySet<string>;
}

/** Returns the outcome unchanged if it is about an ordinary pod: hostile answers must not concern those. */
function twisted(method: CriMethodName, outcome: CriOutcome<Uint8Array>, twist: Twist): CriOutcome<Uint8Array> {
  const { answer: other } = twist;
  if (!outcome.ok) return outcome;
  const isList = method === 'ListContainers' || method === 'ListPodSandbox';
  // The table pairs each method with its own codecs; only the union over all methods loses sight of that.
  const { response } = criMethods[method] as CriMethod<unknown, unknown>;
  const message = response.decode(outcome.value);
  if (!isList && isOrdinary(message, twist.ordinary)) return outcome;
  switch (other.type) {
    case 'changed': {
      if (isList) changeItems(message, twist);
      else changeMessage(message, other.changes);
      return { ok: true, value: encoded(response, message) ?? outcome.value };
    }
    case 'garbage':
    case 'cut': {
      const bytes =
        other.type === 'garbage'
          ? new Uint8Array(Buffer.from(other.bytes, 'base64'))
          : outcome.value.slice(0, Math.floor((outcome.value.length * other.at) / 100));
      // A shorter list would be valid: the agent would believe that the ordinary pods' containers are gone.
      return isList && isReadable(response, bytes) ? outcome : { ok: true, value: bytes };
    }
    case 'fault':
      // The codes are those of the table above.
      return { ok: false, fault: { code: other.code as 'UNKNOWN', detail: textOf(other.detail) } };
    default:
      return other satisfies never;
  }
}

/** Changes the items of other pods, and adds a changed copy of an item. */
function changeItems(
  message: unknown,
  { answer: { changes }, ordinary }: Twist & { answer: { changes?: readonly FieldChange[] } },
): void {
  const list = Object.entries(message as Record<string, unknown>).find(([, value]) => Array.isArray(value));
  // Lists of the runtime have one field, their items.
  const items = (list?.[1] ?? []) as { labels?: Record<string, string> }[];
  const [first] = items;
  if (first !== undefined) {
    const copy = structuredClone(first);
    items.push(Object.assign(copy, { id: 'hostile-copy', labels: { ...copy.labels, [POD_UID_LABEL]: 'nobody' } }));
    if ('metadata' in copy && typeof copy.metadata === 'object') Object.assign(copy.metadata ?? {}, { uid: 'nobody' });
  }
  for (const item of items) if (!isOrdinary(item, ordinary)) changeMessage(item, changes ?? []);
}

/** `true` if a text of the message is the UID of an ordinary pod. */
function isOrdinary(message: unknown, ordinary: ReadonlySet<string>): boolean {
  if (typeof message === 'string') return ordinary.has(message);
  if (typeof message !== 'object' || message === null || message instanceof Uint8Array) return false;
  return Object.values(message).some((each) => isOrdinary(each, ordinary));
}

interface Codec {
  encode(message: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

/** `undefined` when no runtime could have sent the message. */
function encoded({ encode }: Pick<Codec, 'encode'>, message: unknown): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(encode(message).finish());
  } catch {
    return undefined;
  }
}

function isReadable({ decode }: Pick<Codec, 'decode'>, bytes: Uint8Array): boolean {
  try {
    decode(bytes);
    return true;
  } catch {
    return false;
  }
}

function eventBytes(event: readonly FieldChange[] | string): Uint8Array | undefined {
  if (typeof event === 'string') return Buffer.from(event, 'base64');
  const message = ContainerEventResponse.decode(
    ContainerEventResponse.encode({
      containerId: 'c1',
      containerEventType: 1,
      createdAt: 1n,
      podSandboxStatus: undefined,
      containersStatuses: [],
    }).finish(),
  );
  changeMessage(message, event);
  return encoded(ContainerEventResponse, message);
}

const podObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'hostile', namespace: 'hostile' },
  spec: {
    nodeName: NODE,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    initContainers: [{ name: 'init', image: 'registry.example/init:1' }],
    containers: [
      { name: 'main', image: 'registry.example/web:1' },
      { name: 'second', image: 'registry.example/second:1' },
    ],
  },
};
