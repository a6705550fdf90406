import type { Pod } from '../../kube/pod.ts';
import { podTotal } from '../../kube/pod-resources.ts';
import { canonicalQuantity, formatQuantity, quantityNano } from '../../kube/quantity.ts';
import type { Observation, Observations, PodFigures } from './figures.ts';
import { memoryUsage } from './pod-usage.ts';
import { resourceOf, type StarvedResource } from './signals.ts';
import { amountNano, type Threshold } from './thresholds.ts';

/** The texts of an eviction that users read, in the kubelet's words, and the annotations of its event. */
export interface EvictionTexts {
  readonly message: string;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Shortage {
  readonly resource: StarvedResource;
  /** The thresholds that caused the eviction. */
  readonly thresholds: readonly Threshold[];
  readonly observations: Observations;
}

/** Returns why the node has evicted a pod, and which of its containers exceeded their requests. */
export function evictionTexts(pod: Pod, figures: PodFigures | undefined, shortage: Shortage): EvictionTexts {
  const { resource } = shortage;
  const low = `The node was low on resource: ${resource}. ${thresholdMessage(shortage)}`;
  if (figures === undefined) return { message: low, annotations: {} };
  if (resource === 'memory' && pod.spec.resources !== undefined) return podText(pod, figures, low);
  const offending = (figures.containers ?? []).flatMap((container) => {
    const spec = pod.spec.containers.find(({ name }) => name === container.name);
    const used = usageOf(container, resource);
    const request = spec?.resources?.requests?.[resource] ?? '0';
    if (spec === undefined || used === undefined || used <= quantityNano(request)) return [];
    return [{ name: spec.name, used: written(used), request: canonicalQuantity(request) }];
  });
  const sentences = offending.map(
    ({ name, used, request }) =>
      `Container ${name} was using ${used}, request is ${request}, has larger consumption of ${resource}. `,
  );
  return {
    message: `${low}${sentences.join('')}`,
    annotations: {
      offending_containers: offending.map(({ name }) => name).join(','),
      offending_containers_usage: offending.map(({ used }) => used).join(','),
      starved_resource: resource,
    },
  };
}

/** Memory requested by the pod as a whole (KEP-2837) belongs to no single container. */
function podText(pod: Pod, figures: PodFigures, low: string): EvictionTexts {
  const { name } = pod.metadata;
  const [used, request] = [memoryUsage(figures) * NANO, podTotal(pod.spec, 'requests').get('memory') ?? 0n];
  const isOffending = used > request;
  return {
    message: isOffending
      ? `${low}Pod ${name} was using ${written(used)}, request is ${written(request)}, has larger consumption of memory. `
      : low,
    annotations: {
      offending_pod: isOffending ? name : '',
      offending_pod_usage: isOffending ? written(used) : '',
      starved_resource: 'memory',
    },
  };
}

function thresholdMessage({ resource, thresholds, observations }: Shortage): string {
  for (const { signal, value } of thresholds) {
    const observed = observations.get(signal);
    if (resourceOf(signal) !== resource || observed === undefined) continue;
    return `Threshold quantity: ${thresholdText(value, observed)}, available: ${availableText(observed)}. `;
  }
  return '';
}

const NANO = 1_000_000_000n;

const written = (nano: bigint): string => formatQuantity({ nano, format: 'binary-si' });

export const availableText = ({ available, format }: Observation): string =>
  formatQuantity({ nano: available * NANO, format });

const thresholdText = (value: string, { capacity }: Observation): string =>
  value.endsWith('%') ? written(amountNano(value, capacity)) : canonicalQuantity(value);

/**
 * Returns the usage in 10⁻⁹ units; `undefined` when it is unknown, or when the resource is not measured by container.
 */
function usageOf(
  { memory, rootfs, logs }: NonNullable<PodFigures['containers']>[number],
  resource: StarvedResource,
): bigint | undefined {
  if (resource === 'memory' && memory?.workingSetBytes !== undefined) return BigInt(memory.workingSetBytes) * NANO;
  if (resource !== 'ephemeral-storage' || rootfs?.usedBytes === undefined || logs?.usedBytes === undefined)
    return undefined;
  return BigInt(rootfs.usedBytes + logs.usedBytes) * NANO;
}
