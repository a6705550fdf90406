import type { FieldChecks } from './field-checks.ts';
import { own } from '../text/own.ts';
import type { PodSpec, ResourceList, ResourceRequirements } from '../pod.ts';
import { containersTotal, isPodLevelResource } from '../pod-resources.ts';
import { parseQuantity } from '../quantity.ts';

/** Checks requests and limits of a container or pod: valid amounts, and no request above its limit. */
export function validateResources(checks: FieldChecks, resources: ResourceRequirements | undefined): void {
  if (resources === undefined) return;
  const limits = amounts(checks.below('limits'), resources.limits);
  const requests = amounts(checks.below('requests'), resources.requests);
  for (const [name, request] of requests) {
    const limit = limits.get(name);
    const path = ['requests', name];
    if (limit !== undefined && request > limit)
      checks.report(path, own(resources.requests, name), 'must not be more than the limit');
    // Resources that cannot be overcommitted have a single amount.
    const isExact = name.startsWith('hugepages-') || name.includes('/');
    if (isExact && limit === undefined) checks.report(['limits', name], undefined, 'is required beside the request');
    else if (isExact && request !== limit) checks.report(path, own(resources.requests, name), 'must equal the limit');
  }
}

function amounts(checks: FieldChecks, list: ResourceList | undefined): ReadonlyMap<string, bigint> {
  const found = new Map<string, bigint>();
  for (const [name, quantity] of Object.entries(list ?? {})) {
    const parsed = parseQuantity(quantity);
    if (!parsed.ok) checks.report([name], quantity, parsed.message);
    else if (parsed.quantity.nano < 0n) checks.report([name], quantity, 'must not be negative');
    else found.set(name, parsed.quantity.nano);
  }
  return found;
}

/**
 * Checks the resources of the pod as a whole (KEP-2837): few kinds, and never less than its containers request
 * together.
 */
export function validatePodResources(checks: FieldChecks, spec: PodSpec): void {
  const { resources } = spec;
  if (resources === undefined) return;
  validateResources(checks, resources);
  for (const kind of ['limits', 'requests'] as const) {
    for (const name of Object.keys(resources[kind] ?? {})) {
      if (!isPodLevelResource(name)) checks.report([kind, name], undefined, 'cannot be set for a pod as a whole');
    }
  }
  const requests = resources.requests ?? {};
  for (const [name, total] of containersTotal(spec, 'requests')) {
    const quantity = own(requests, name);
    const parsed = quantity === undefined ? undefined : parseQuantity(quantity);
    if (parsed?.ok === true && parsed.quantity.nano < total) {
      checks.report(['requests', name], quantity, 'must not be less than what the containers request together');
    }
  }
}
