import type { ContainerStatus, Pod } from '../../src/kube/pod.ts';
import type { Json } from '../pod/cri-config/golden-form.ts';
import type { CriCase, ExpectedCri } from './cri-case.ts';
import { uidOf, type CriPlayed } from './play-cri-case.ts';
import type { SeenRequest } from './record-requests.ts';

/** One difference: its place, the expected value and the observed value. */
export interface Difference {
  readonly where: string;
  readonly expected: unknown;
  readonly seen: unknown;
}

type Object = Readonly<Record<string, unknown>>;

/** Returns the differences between a played case and its recording, the first difference of each part. */
export function differencesOf(golden: CriCase, played: CriPlayed): readonly Difference[] {
  const { expected } = golden;
  if (played.problems.length > 0) {
    return played.problems.map((problem) => ({ where: 'the play', expected: 'no problem', seen: problem }));
  }
  const seen = inRecordedForm(golden, played);
  const differences: Difference[] = [];
  for (const part of PARTS) {
    if (expected[part] === undefined) continue;
    if (part === 'files' && played.files === undefined) continue;
    const difference = firstDifference(part, asCompared(part, expected[part]), asCompared(part, seen[part]));
    if (difference !== undefined) differences.push(difference);
  }
  // A recording without such requests means that the kubelet made none.
  for (const part of ['runPodSandbox', 'createContainer'] as const) {
    const made = seen[part] as readonly unknown[];
    if (expected[part] === undefined && made.length > 0)
      differences.push({ where: part, expected: undefined, seen: made[0] });
  }
  return differences;
}

const PARTS = [
  ...(['refused', 'status', 'sequence', 'runPodSandbox', 'createContainer', 'imageService'] as const),
  ...(['events', 'teardown', 'files', 'mirrorPod'] as const),
];

const textOf = (value: unknown): string => JSON.stringify(value) ?? '';

/** Equal requests count once, compared after placeholders replace the values that change. Events are a set. */
function asCompared(part: string, value: unknown): unknown {
  if ((part === 'createContainer' || part === 'runPodSandbox') && Array.isArray(value)) return distinct(value);
  if (part !== 'events' || !Array.isArray(value)) return value;
  return (value as readonly Object[])
    .map(({ type, reason, message }) => ({ type, reason, message }))
    .toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function distinct<T>(list: readonly T[]): readonly T[] {
  const texts = new Set<string>();
  return list.filter((each) => {
    const text = textOf(each);
    return texts.has(text) ? false : texts.add(text);
  });
}

/** `true` if the recording includes attempt 1: only recordings about restarts do. */
const keepsRestarts = ({ sequence = [], createContainer = [] }: ExpectedCri): boolean =>
  sequence.some((step) => step.includes(' attempt 1')) ||
  createContainer.some((each) => textOf(each).includes('"attempt":1'));

/** Returns the observations in the form of the recordings. */
export function inRecordedForm(golden: CriCase, played: CriPlayed): Readonly<Record<string, unknown>> {
  const { expected } = golden;
  const most = keepsRestarts(expected) ? 1 : 0;
  const requests = played.requests.filter(({ attempt }) => attempt <= most);
  const put = placeholders(golden, played);
  const forms = (method: string, form: (request: SeenRequest) => unknown): readonly unknown[] =>
    distinct(requests.filter((request) => request.method === method).map((request) => put(form(request))));
  const sandbox = requests.find(({ method }) => method === 'RunPodSandbox')?.form['config'];
  const pulls = forms('PullImage', ({ form }) => form);
  return {
    refused: requests.every(({ method }) => method !== 'RunPodSandbox') && played.pod === undefined,
    status: put(statusForm(played.pod, expected, requests)),
    sequence: distinct(requests.map((request) => put(stepText(request)))),
    runPodSandbox: forms('RunPodSandbox', ({ form }) => form),
    createContainer: forms('CreateContainer', ({ form, error }) => ({
      config: form['config'],
      ...(textOf(form['sandbox_config']) !== textOf(sandbox) && { sandbox_config: form['sandbox_config'] }),
      ...(error !== undefined && { error }),
    })),
    imageService: {
      imageStatus: forms('ImageStatus', ({ form }) => form['image']),
      ...(pulls.length > 0 && { pullImage: pulls }),
    },
    events: distinct(played.events.map(put)),
    teardown: put(teardownForm(expected.teardown ?? {}, played.teardown)),
    files: put(filesForm(expected.files ?? [], played)),
    mirrorPod: put(mirrorForm(played.pod)),
  };
}

function stepText({ method, container, attempt, more, error }: SeenRequest): string {
  const again = attempt > 0 ? ` attempt ${attempt}` : '';
  return `${method}${container === undefined ? '' : ` ${container}`}${more}${again}${error === undefined ? '' : ' -> error'}`;
}

/** A step of a single order. The container comes first, as in the lanes. */
const orderedStep = ({ method, container, more }: SeenRequest): string => `${container ?? 'pod'} ${method}${more}`;

/** Groups by container, or keeps a single order where the recording has a single order. */
function teardownForm(recorded: Readonly<Record<string, unknown>>, requests: readonly SeenRequest[]): Object {
  if ('order' in recorded) return { order: distinct(requests.map(orderedStep)) };
  const lanes: Record<string, string[]> = {};
  for (const { method, container, more } of requests) {
    const lane = (lanes[container ?? 'pod'] ??= []);
    const step = `${method}${more}`;
    if (!lane.includes(step)) lane.push(step);
  }
  return lanes;
}

function statusForm(pod: Pod | undefined, expected: ExpectedCri, requests: readonly SeenRequest[]): Object | undefined {
  if (pod === undefined) return undefined;
  const { phase, qosClass, reason, message, containerStatuses, initContainerStatuses } = pod.status ?? {};
  const { ephemeralContainerStatuses } = (pod.status ?? {}) as {
    ephemeralContainerStatuses?: readonly ContainerStatus[];
  };
  const lists = {
    ...(containerStatuses !== undefined &&
      containerStatuses.length > 0 && { containerStatuses: containerStatuses.map(stateForm) }),
    ...(initContainerStatuses !== undefined &&
      initContainerStatuses.length > 0 && { initContainerStatuses: initContainerStatuses.map(stateForm) }),
    ...(ephemeralContainerStatuses !== undefined &&
      ephemeralContainerStatuses.length > 0 && {
        ephemeralContainerStatuses: ephemeralContainerStatuses.map(stateForm),
      }),
  };
  const simplyRun = (containerStatuses ?? []).every(({ state }) => state?.running !== undefined);
  // A container that restarts repeatedly differs at each observation, so its recordings have no state.
  const goesRound = requests.some(({ attempt }) => attempt > 0);
  const told = expected.status ?? {};
  const isLeftOut =
    told.containerStatuses === undefined && told.initContainerStatuses === undefined && (simplyRun || goesRound);
  return {
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(isLeftOut ? {} : lists),
    phase,
    qosClass,
  };
}

function stateForm({ name, state }: ContainerStatus): Object {
  const [[kind, detail] = ['', {}]] = Object.entries(state ?? {}) as [string, Object][];
  const { reason, message, exitCode } = detail;
  return {
    name,
    ...(reason !== undefined && reason !== '' && { reason }),
    ...(message !== undefined && message !== '' && { message }),
    ...(exitCode !== undefined && { exitCode }),
    state: kind,
  };
}

function filesForm(recorded: readonly Json[], { files = [], pod }: CriPlayed): readonly unknown[] {
  const hasHosts = recorded.some((entry) => (entry as Object)['path'] === 'etc-hosts');
  return files.flatMap((entry) => {
    const { path, content } = entry as { path: string; content?: string };
    if (path !== 'etc-hosts') return [entry];
    if (!hasHosts) return [];
    if (pod?.spec.hostNetwork !== true) return [entry];
    return [{ ...(entry as Object), content: `${content?.split('\n', 1)[0] ?? ''}\n{{HOST_HOSTS_FILE}}` }];
  });
}

function mirrorForm(pod: Pod | undefined): Object | undefined {
  if (pod === undefined) return undefined;
  const { labels, annotations, name, namespace, ownerReferences } = pod.metadata as unknown as Object;
  const { nodeName, priority, priorityClassName, tolerations } = pod.spec as unknown as Object;
  return JSON.parse(
    JSON.stringify({
      metadata: { labels, annotations, name, namespace, ownerReferences },
      spec: { nodeName, priority, priorityClassName, tolerations },
    }),
  ) as Object;
}

/** Replaces the values that differ from run to run with the placeholders of the recordings. */
function placeholders(
  golden: CriCase,
  { pod, requests, rootDir, hostIp, ids }: CriPlayed,
): (value: unknown) => unknown {
  const { environment } = golden;
  const uid = uidOf(pod) ?? requests.find((request) => request.podUid !== '')?.podUid;
  const owners = (pod?.metadata as { ownerReferences?: readonly { kind: string; uid: string }[] } | undefined)
    ?.ownerReferences;
  const node = owners?.find(({ kind }) => kind === 'Node')?.uid;
  const isMirror = pod !== undefined && uid !== pod.metadata.uid;
  const words: readonly (readonly [string | undefined, string])[] = [
    [rootDir, '{{ROOT}}'],
    [uid, '{{UID}}'],
    [isMirror ? pod.metadata.uid : undefined, '{{MIRROR_UID}}'],
    [node === environment.nodeName ? undefined : node, '{{NODE_UID}}'],
    [hostIp, '{{HOSTIP}}'],
    ...ids,
    [environment.nodeName, '{{NODE}}'],
  ];
  return (value) => {
    if (value === undefined) return undefined;
    let text = textOf(value);
    for (const [word, placeholder] of words) if (word) text = text.replaceAll(placeOf(word), () => placeholder);
    for (const [pattern, replacement] of PATTERNS) text = text.replace(pattern, replacement);
    return userNamespace(JSON.parse(text));
  };
}

/** The word as it is searched for: an address is no part of a longer one. */
const placeOf = (word: string): RegExp => {
  const text = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(/^[0-9.]+$/.test(word) ? `(?<![0-9.])${text}(?![0-9]|\\.[0-9])` : text, 'g');
};

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, '{{TIME}}'],
  [/(pods\/\{\{UID\}\}\/containers\/[^/"]+\/)[0-9a-f]{8}"/g, '$1{{RAND}}"'],
  [
    / in [\dhmsµ.]+ \([\dhmsµ.]+ including waiting\)\. Image size: \d+ bytes/g,
    ' in {{DURATION}} ({{DURATION}} including waiting). Image size: 100 bytes',
  ],
  [/, used: \d+, capacity: \d+/g, ', used: {{USED}}, capacity: {{CAPACITY}}'],
];

/** The first host ID of a user namespace is arbitrary. */
function userNamespace(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(userNamespace);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'host_id' && typeof inner === 'number' ? '{{USERNS_HOST_ID}}' : userNamespace(inner),
    ]),
  );
}

/** Returns the first difference of two values, in the order of the expected value. */
export function firstDifference(where: string, expected: unknown, seen: unknown): Difference | undefined {
  if (typeof expected !== 'object' || expected === null || typeof seen !== 'object' || seen === null) {
    return expected === seen ? undefined : { where, expected, seen };
  }
  if (Array.isArray(expected) !== Array.isArray(seen)) return { where, expected, seen };
  const [wanted, had] = [expected as Object, seen as Object];
  for (const key of new Set([...Object.keys(wanted), ...Object.keys(had)])) {
    const at = Array.isArray(expected) ? `${where}[${key}]` : `${where}.${key}`;
    const difference = firstDifference(at, wanted[key], had[key]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
