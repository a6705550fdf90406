import { request as httpsRequest } from 'node:https';
import type { NodeStats, PodStats, Summary } from '../../../stats/summary.ts';
import type { ApiCore } from '../store/api-core.ts';
import type { ApiObject } from '../store/api-object.ts';
import type { KeyPair } from '../subresources/certificate-authority.ts';
import { nodeKind } from '../kinds/node-kind.ts';
import { podKind } from '../kinds/pod-kind.ts';
import { parseLabelSelector } from '../store/label-selector.ts';
import { nodeAddress } from './node-request.ts';
import { keyOf } from '../store/object-store.ts';
import { noSuchPath, notFound, Refusal } from '../store/refusal.ts';
import type { ResourcePath } from '../http/request-path.ts';

export const METRICS_GROUP = 'metrics.k8s.io';
const VERSION = `${METRICS_GROUP}/v1beta1`;

/**
 * The resources of `kubectl top`. A real cluster has a metrics server that scrapes the nodes; this server asks the
 * nodes on demand.
 */
export const metricsResources = [
  { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
  { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
] as const;

/** Asks a node for its summary. Rejects when the node does not answer. */
export type AskSummary = (nodeName: string) => Promise<Summary>;

/** Answers a request for metrics. Throws a `Refusal`. */
export type MetricsApi = (path: ResourcePath) => Promise<object>;

interface MetricsDeps {
  readonly core: ApiCore;
  readonly ask: AskSummary;
}

/**
 * CPU rates are measured between two answers of a node: after the first answer, the node is asked again this much
 * later.
 */
const SECOND_SAMPLE_MS = 1_000;
const ANSWER_WITHIN_MS = 10_000;

export function metricsApi({ core, ask }: MetricsDeps): MetricsApi {
  const summaryOf = async (node: ApiObject): Promise<Summary | undefined> => {
    try {
      const first = await ask(node.metadata.name);
      if (isComplete(first)) return first;
      await new Promise<void>((resolve) => void core.options.clock.after(SECOND_SAMPLE_MS, resolve));
      return await ask(node.metadata.name);
    } catch {
      // A node that does not answer is left out, as by a metrics server.
      return undefined;
    }
  };
  return async ({ version, resource, namespace, name, query, subresource }) => {
    const isPods = resource === 'pods';
    if (version !== 'v1beta1' || subresource !== '' || !(isPods || resource === 'nodes')) throw noSuchPath();
    if (isPods && name !== undefined && namespace === undefined) throw noSuchPath();
    const fits = parseLabelSelector(query.get('labelSelector') ?? undefined);
    const nodes = core.store.collection(nodeKind.storedAs).inOrderOfCreation();
    const asked = [...nodes].filter((node) => isPods || name === undefined || node.metadata.name === name);
    const summaries = (await Promise.all(asked.map(summaryOf))).filter((summary) => summary !== undefined);
    const items = summaries.flatMap(({ node, pods }): readonly (Item | undefined)[] =>
      isPods ? pods.map(podMetrics) : [nodeMetrics(node)],
    );
    const known = items.flatMap((item) => {
      if (item === undefined) return [];
      const { namespace: itsNamespace, name: itsName } = item.metadata;
      if (name !== undefined && itsName !== name) return [];
      if (namespace !== undefined && itsNamespace !== namespace) return [];
      const kind = isPods ? podKind : nodeKind;
      const object = core.store.collection(kind.storedAs).get(keyOf(itsNamespace, itsName));
      // Pods that have ended or are unknown to the API are left out.
      if (object === undefined || !fits(object.metadata.labels)) return [];
      const { labels, creationTimestamp } = object.metadata;
      return [{ ...item, metadata: { ...item.metadata, ...(labels && { labels }), creationTimestamp } }];
    });
    if (name === undefined) {
      return { kind: isPods ? 'PodMetricsList' : 'NodeMetricsList', apiVersion: VERSION, metadata: {}, items: known };
    }
    const [only] = known;
    if (only === undefined) throw notFound({ group: METRICS_GROUP, resource, name });
    return only;
  };
}

const isComplete = ({ node, pods }: Summary): boolean =>
  node.cpu?.usageNanoCores !== undefined &&
  pods.every(({ containers }) => containers.every(({ cpu }) => cpu === undefined || cpu.usageNanoCores !== undefined));

const usageOf = ({ cpu, memory }: Pick<NodeStats, 'cpu' | 'memory'>) =>
  cpu?.usageNanoCores === undefined || memory?.workingSetBytes === undefined
    ? undefined
    : { cpu: `${cpu.usageNanoCores}n`, memory: `${Math.ceil(memory.workingSetBytes / 1024)}Ki` };

const measured = (time: string | undefined) => ({ timestamp: time, window: '10s' });

function nodeMetrics(node: NodeStats): Item | undefined {
  const usage = usageOf(node);
  if (usage === undefined) return undefined;
  const metadata: ItemMetadata = { name: node.nodeName };
  return { kind: 'NodeMetrics', apiVersion: VERSION, metadata, ...measured(node.cpu?.time), usage };
}

interface Item {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ItemMetadata;
  readonly timestamp: string | undefined;
  readonly window: string;
  /** Set for a node. */
  readonly usage?: Usage | undefined;
  /** Set for a pod. */
  readonly containers?: readonly { readonly name: string; readonly usage: Usage | undefined }[];
}

interface Usage {
  readonly cpu: string;
  readonly memory: string;
}

interface ItemMetadata {
  readonly name: string;
  readonly namespace?: string;
}

/** `undefined` until all of its containers are measured: a partial sum would look like a small pod. */
function podMetrics({ podRef, containers, cpu }: PodStats): Item | undefined {
  const usages = containers.map((each) => ({ name: each.name, usage: usageOf(each) }));
  if (usages.length === 0 || usages.some(({ usage }) => usage === undefined)) return undefined;
  const metadata: ItemMetadata = { name: podRef.name, namespace: podRef.namespace };
  return { kind: 'PodMetrics', apiVersion: VERSION, metadata, ...measured(cpu?.time), containers: usages };
}

/** Asks nodes with a client certificate of the API server's authority. */
export function summariesOfNodes(core: ApiCore, client: KeyPair): AskSummary {
  const tls = { cert: client.certificate, key: client.key, rejectUnauthorized: false };
  return (nodeName) =>
    new Promise((resolve, reject) => {
      const path = '/stats/summary?only_cpu_and_memory=true';
      const call = httpsRequest({
        ...nodeAddress(core, nodeName),
        ...tls,
        path,
        agent: false,
        timeout: ANSWER_WITHIN_MS,
      });
      call.on('timeout', () => call.destroy(new Error(`node ${nodeName} does not answer`)));
      call.on('error', reject);
      call.on('response', (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (piece: string) => (text += piece));
        answer.on('error', reject);
        answer.on('end', () => {
          if (answer.statusCode !== 200) return reject(new Error(`node ${nodeName} answered ${answer.statusCode}`));
          try {
            // The node's own summary.
            resolve(JSON.parse(text) as Summary);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        });
      });
      call.end();
    });
}

/** Answers a metrics request as the server sends it. */
export async function answerMetrics(api: MetricsApi, path: ResourcePath): Promise<{ code: number; body: object }> {
  try {
    return { code: 200, body: await api(path) };
  } catch (error) {
    if (error instanceof Refusal) return { code: error.status.code, body: error.status };
    throw error;
  }
}
