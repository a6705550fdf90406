import type { Profile } from '../../src/agent/settings.ts';
import { own } from '../../src/kube/text/own.ts';
import { basename } from 'node:path';
import type { FaultSeam } from '../../src/actor/fault-seam.ts';
import type { ApiRequest } from '../../src/api/api-request.ts';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import { PodSandboxStatusResponse } from '../../src/cri/gen/api.ts';
import { parseScript } from '../../src/embedded/runtime/script/script.ts';
import type { TokenIssuer } from '../../src/embedded/apiserver/subresources/token-issuer.ts';
import { decodeManifest } from '../../src/kube/manifest/decode-manifest.ts';
import type { Pod } from '../../src/kube/pod.ts';
import type { Json } from '../pod/cri-config/golden-form.ts';
import type { SeenEvent } from '../lifecycle/compare-events.ts';
import { DEFAULT_NAMESPACE, listPathOf, namespaceOf } from '../lifecycle/object-path.ts';
import { caseDisk } from './case-disk.ts';
import type { CaseObject, CriCase } from './cri-case.ts';
import { type CriEnvironment, factsOf } from './cri-environment.ts';
import { ephemeralOf, scriptFor } from './cri-script.ts';
import { kubeletConfiguration, nodeFactsOf, nodeSettingsOf } from './kubelet-settings.ts';
import type { TwistOutcome } from '../simulation/node/simulated-runtime.ts';
import { RequestRecorder, type SeenRequest } from './record-requests.ts';
import { WholeNode } from './whole-node.ts';

/** The raw observations while a case was played, before they are put in the form of the recordings. */
export interface CriPlayed {
  /** Requests until the pod had settled; `teardown` has those after its deletion. */
  readonly requests: readonly SeenRequest[];
  readonly teardown: readonly SeenRequest[];
  /** The API's pod once it had settled; the mirror pod of a static pod. */
  readonly pod: Pod | undefined;
  readonly events: readonly SeenEvent[];
  /** `undefined` when this process may not mount, so files were not compared. */
  readonly files: readonly Json[] | undefined;
  readonly rootDir: string;
  /** The node's address, which occurs nowhere in the case. */
  readonly hostIp: string;
  /** IDs of the runtime, each with its placeholder in the recordings. */
  readonly ids: readonly (readonly [string, string])[];
  readonly problems: readonly string[];
  readonly trace: readonly string[];
}

/** A pod without changes for this time has settled: longer than the first wait of back-offs, shorter than the second. */
const QUIET_MS = 14_000;
const LOOK_EVERY_MS = 500;
const LONGEST_MS = 600_000;
const SETTLED_AT_MOST_MS = 90_000;
/** The most checks while a pod is midway. */
const MIDWAY_LOOKS = 4;
const WARM_UP_MS = 2_000;
const API_CALL_MS = 10_000;

const sameToken: TokenIssuer = {
  issuer: 'https://kubernetes.default.svc',
  issue: () => '{{TOKEN}}',
  read: () => undefined,
};

export interface PlayCriOptions {
  readonly keepTrace?: number;
  readonly messages?: FaultSeam | undefined;
  readonly profile?: Profile | undefined;
}

/** Plays a case on a whole node in virtual time, with its own disk. */
export async function playCriCase(golden: CriCase, options: PlayCriOptions = {}): Promise<CriPlayed> {
  const { environment, expected } = golden;
  const config = kubeletConfiguration('environment.json', 'kubeletConfiguration', environment.kubeletConfiguration);
  const disk = caseDisk(environment.hostPaths);
  try {
    const changed = (): void => node.look();
    const recorder = new RequestRecorder({ core: () => node.runtime.core, changed });
    const target = podOf(golden);
    const hostIp = addressUnlike(golden);
    const node: WholeNode = new WholeNode({
      node: {
        nodeName: environment.nodeName,
        ...nodeSettingsOf(config),
        hostIp,
        facts: { ...nodeFactsOf(config), ...factsOf(environment), rootDir: disk.rootDir },
      },
      nodeObject: nodeObjectOf(environment),
      runtime: {
        script: parseScript(target.scripted === undefined ? {} : scriptFor(target.scripted)),
        events: 'off',
        handlers: environment.runtimeStatus.runtimeHandlers,
      },
      profile: options.profile,
      watcher: recorder,
      twist: withAddress(environment.podIP),
      files: disk.files,
      carryOut: (orders) => disk.carryOut(orders),
      tokens: sameToken,
      ...options,
    });
    const seen = new Seen(target);
    let split = 0;
    let settled: Pick<CriPlayed, 'pod' | 'files'> = { pod: undefined, files: undefined };
    const act = async (): Promise<void> => {
      await createAround(node.api, golden);
      seen.watch(node.api, changed);
      if (golden.stored === undefined)
        node.writeStatic(basename(golden.manifest.file).replace('manifest', golden.name), golden.manifest.text);
      node.startAgent();
      await node.sleep(WARM_UP_MS);
      if (golden.stored !== undefined) await create(node.api, withNodeName(golden.stored, environment));
      const debug = ephemeralOf(golden.objects);
      if (debug !== undefined) {
        await node.until(() => seen.pod?.status?.phase === 'Running', 'the pod to run');
        await addEphemeral(node.api, target, debug);
      }
      await settle(
        node,
        { ...target, seen },
        () => `${new Set(recorder.requests.filter(({ attempt }) => attempt < 2).map(keyOf)).size} ${seen.signature}`,
      );
      const uid = uidOf(seen.pod) ?? recorder.requests.find(({ podUid }) => podUid !== '')?.podUid;
      const files = disk.isReal && uid !== undefined ? filesOf((path) => disk.recorded(path), uid) : undefined;
      settled = { pod: seen.pod, files: disk.isReal ? (files ?? []) : undefined };
      split = recorder.requests.length;
      if (expected.teardown === undefined) return;
      await call(node.api, { verb: 'delete', path: podPathOf(target), body: {} });
      await node.until(() => seen.isGone, 'the pod to be gone');
    };
    await node.play(act, LONGEST_MS);
    return {
      requests: recorder.requests.slice(0, split === 0 ? undefined : split),
      teardown: split === 0 ? [] : recorder.requests.slice(split),
      ...settled,
      events: seen.events,
      rootDir: disk.rootDir,
      hostIp,
      ids: recorder.ids(),
      problems: node.problems,
      trace: node.trace.latest,
    };
  } finally {
    disk.discard();
  }
}

/** The recorded runtime gave every sandbox the same address: an address of our own may be in a case with another meaning. */
const withAddress =
  (ip: string): TwistOutcome =>
  (method, outcome) => {
    if (method !== 'PodSandboxStatus' || !outcome.ok) return outcome;
    const response = PodSandboxStatusResponse.decode(outcome.value);
    const { network } = response.status ?? {};
    // A pod on the host network has no address of its own.
    if (network === undefined || network.ip === '') return outcome;
    network.ip = ip;
    return { ...outcome, value: PodSandboxStatusResponse.encode(response).finish() };
  };

/** An address for the node that the case has nowhere: what is seen is told apart by it. */
export function addressUnlike({ manifest, stored, expected, environment }: CriCase): string {
  const texts = [manifest.text, ...[stored, expected, environment].map((each) => JSON.stringify(each) ?? '')];
  const addresses = Array.from({ length: 254 }, (_, last) => `192.0.2.${last + 1}`);
  const free = addresses.find((address) => !texts.some((text) => text.includes(address)));
  if (free === undefined) throw new Error('the case names every address that the node could have');
  return free;
}

const keyOf = ({ method, container, attempt, more, error }: SeenRequest): string =>
  JSON.stringify([method, container, attempt, more, error]);

/** The case's pod, by its name in the API. */
interface Target {
  readonly name: string;
  readonly namespace: string;
  /** The pod with all its containers, including later ones. `undefined` when the manifest is not a pod. */
  readonly scripted: Pod | undefined;
  readonly deadlineMs: number;
}

function podOf(golden: CriCase): Target {
  const { environment, stored, manifest, objects, name } = golden;
  if (stored !== undefined) {
    const pod = stored as unknown as Pod;
    const debug = ephemeralOf(objects);
    const scripted = debug === undefined ? pod : { ...pod, spec: { ...pod.spec, ephemeralContainers: debug } };
    return targetOf(pod.metadata.name, scripted);
  }
  const { text, file } = manifest;
  const decoded = decodeManifest({ file, text, sizeBytes: text.length });
  if (!decoded.ok) return { name, namespace: DEFAULT_NAMESPACE, scripted: undefined, deadlineMs: 0 };
  return targetOf(`${decoded.pod.metadata.name}-${environment.nodeName}`, decoded.pod);
}

const targetOf = (name: string, pod: Pod): Target => ({
  name,
  namespace: pod.metadata.namespace || DEFAULT_NAMESPACE,
  scripted: { ...pod, metadata: { ...pod.metadata, name } },
  deadlineMs: (pod.spec.activeDeadlineSeconds ?? 0) * 1_000,
});

/** Huge page sizes without reserved pages: the node reports them with 0. */
const noHugePages = ({ hugePageSizes }: CriEnvironment): object =>
  Object.fromEntries(hugePageSizes.map((size) => [`hugepages-${size}`, '0']));

const nodeObjectOf = (environment: CriEnvironment): object => {
  const { nodeName, runtimeStatus } = environment;
  const capacity = { ...noHugePages(environment), ...environment.capacity };
  const allocatable = { ...noHugePages(environment), ...environment.allocatable };
  const { features } = runtimeStatus;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: nodeName, labels: { 'kubernetes.io/hostname': nodeName, 'kubernetes.io/os': 'linux' } },
    status: { capacity, allocatable, ...(features !== undefined && { features }) },
  };
};

const withNodeName = (stored: CaseObject, { nodeName }: CriEnvironment): CaseObject => {
  const { uid: _, ...metadata } = stored.metadata as unknown as Record<string, unknown>;
  return JSON.parse(JSON.stringify({ ...stored, metadata }).replaceAll('{{NODE}}', nodeName)) as CaseObject;
};

const podPathOf = ({ namespace, name }: Target): string => `/api/v1/namespaces/${namespace}/pods/${name}`;

async function call(api: ApiTransport, request: Omit<ApiRequest, 'priority'>): Promise<void> {
  const outcome = await api.call({ ...request, priority: 'object' }, API_CALL_MS);
  if (!outcome.ok) throw new Error(`${request.verb} ${request.path}: ${JSON.stringify(outcome.fault)}`);
}

const create = (api: ApiTransport, object: CaseObject): Promise<void> =>
  call(api, { verb: 'create', path: listPathOf(object), body: object });

/** Creates the objects that exist before the pod: namespaces with their accounts, services, and the case's objects. */
async function createAround(api: ApiTransport, { environment, objects, stored }: CriCase): Promise<void> {
  const around = objects.filter(({ kind }) => kind !== 'Pod' && kind !== 'EphemeralContainers');
  const namespaced = [...around, ...(stored === undefined ? [] : [stored])].flatMap(
    (object) => namespaceOf(object) ?? [],
  );
  for (const name of new Set([environment.namespaceDefault, ...namespaced])) {
    await createIfMissing(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await createIfMissing(api, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'default', namespace: name },
    });
  }
  for (const { namespace, name, ...spec } of environment.services) {
    await createIfMissing(api, { apiVersion: 'v1', kind: 'Service', metadata: { namespace, name }, spec });
  }
  for (const object of around) await createIfMissing(api, object);
}

async function createIfMissing(api: ApiTransport, object: CaseObject): Promise<void> {
  const path = listPathOf(object);
  const outcome = await api.call({ verb: 'create', path, body: object, priority: 'object' }, API_CALL_MS);
  if (!outcome.ok && !JSON.stringify(outcome.fault).includes('AlreadyExists'))
    throw new Error(`create ${path}: ${JSON.stringify(outcome.fault)}`);
}

const addEphemeral = (api: ApiTransport, target: Target, ephemeralContainers: unknown): Promise<void> =>
  call(api, {
    verb: 'patch',
    path: `${podPathOf(target)}/ephemeralcontainers`,
    body: { spec: { ephemeralContainers } },
    patchType: 'strategic-merge',
  });

/** Waits until nothing has happened for long, and no report is pending. */
async function settle(
  node: WholeNode,
  { deadlineMs, seen }: Target & { readonly seen: Seen },
  signature: () => string,
): Promise<void> {
  const begun = node.now;
  let last = signature();
  let since = node.now;
  while (node.now - since < QUIET_MS || node.now - begun < deadlineMs + QUIET_MS) {
    if (node.now - begun > SETTLED_AT_MOST_MS + deadlineMs) return;
    await node.sleep(LOOK_EVERY_MS);
    const next = signature();
    if (next !== last) [last, since] = [next, node.now];
  }
  for (let looks = 0; seen.isMidway && looks < MIDWAY_LOOKS; looks += 1) await node.sleep(LOOK_EVERY_MS);
}

const HASH = 'kubernetes.io/config.hash';

/** Returns the pod's UID in the runtime: for a mirror pod, the hash of its static pod. */
export const uidOf = (pod: Pod | undefined): string | undefined =>
  pod?.metadata.annotations?.['kubernetes.io/config.mirror'] === undefined
    ? pod?.metadata.uid
    : own(pod.metadata.annotations, HASH);

function filesOf(recorded: (path: string) => readonly Json[], uid: string): readonly Json[] {
  const below = `pods/${uid}/`;
  const listed = [...recorded(`${below}etc-hosts`), ...recorded(`${below}volumes`)] as unknown as readonly {
    readonly path: string;
  }[];
  return listed
    .map((entry) => ({ ...entry, path: entry.path.slice(below.length) }))
    .filter(({ path }) => path === 'etc-hosts' || path.split('/').length > 2);
}

/** Follows the pod and its events by a watch. */
class Seen {
  pod: Pod | undefined;
  isGone = false;
  readonly events: SeenEvent[] = [];
  readonly #target: Target;

  constructor(target: Target) {
    this.#target = target;
  }

  get signature(): string {
    const { phase, reason, message } = this.pod?.status ?? {};
    return JSON.stringify([phase, reason, message, new Set(this.events.map((each) => JSON.stringify(each))).size]);
  }

  /** `true` if a pull has just failed again, and its back-off is about to be reported. */
  get isMidway(): boolean {
    const { initContainerStatuses = [], containerStatuses = [] } = this.pod?.status ?? {};
    return [...initContainerStatuses, ...containerStatuses].some(
      ({ state }) => state?.waiting?.reason === 'ErrImagePull',
    );
  }

  watch(api: ApiTransport, changed: () => void): void {
    const { namespace, name } = this.#target;
    const watch = (resource: string, seen: (type: string, object: never) => void): void => {
      api.watch(`/api/v1/namespaces/${namespace}/${resource}?watch=true&resourceVersion=0`, {
        events: (events) => {
          for (const { type, object } of events) if (type !== 'BOOKMARK') seen(type, object as never);
          changed();
        },
        ended: (fault) => {
          throw new Error(`the watch of ${resource} ended: ${JSON.stringify(fault)}`);
        },
      });
    };
    watch('pods', (type, pod: Pod) => {
      if (pod.metadata.name !== name) return;
      if (type === 'DELETED') this.isGone = true;
      else this.pod = pod;
    });
    watch('events', (_, { involvedObject, type = '', reason = '', message = '' }: EventObject) => {
      if (involvedObject?.kind === 'Pod' && involvedObject.name === name) this.events.push({ type, reason, message });
    });
  }
}

interface EventObject {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
}
