import { unknownFieldOf } from '../../src/api/api-fault.ts';
import type { ApiFault } from '../../src/api/api-request.ts';
import type { PodStatus } from '../../src/kube/pod.ts';
import { statusPatch } from '../../src/pod/status/status-patch.ts';
import { sameStatus } from '../../src/pod/status/same-status.ts';

/**
 * The fields of a pod's status that an older API server does not know. The server silently drops most of them, and
 * rejects patches with some.
 */
export class OlderServer {
  readonly #unknown = new Set<keyof PodStatus>();

  /** Learns from a rejection. Returns the unknown field, if that was the reason. */
  learn(fault: ApiFault): string | undefined {
    const { struct, field } = unknownFieldOf(fault) ?? {};
    if (struct !== 'PodStatus' || field === undefined) return undefined;
    // A field that was left out already cannot be the reason.
    if (this.#unknown.has(field as keyof PodStatus)) return undefined;
    this.#unknown.add(field as keyof PodStatus);
    return field;
  }

  /** Returns the status without the fields that the server does not know. */
  known(status: PodStatus): PodStatus {
    if (this.#unknown.size === 0) return status;
    const known: Record<string, unknown> = { ...status };
    for (const field of this.#unknown) delete known[field];
    return known;
  }
}

/** The fields that the server dropped from an accepted patch, at a version of the object. */
export interface Dropped {
  readonly resourceVersion: string;
  /** The patch that would send them again. */
  readonly patch: string;
}

export function droppedOf(sent: PodStatus, kept: PodStatus, resourceVersion: string): Dropped | undefined {
  if (sameStatus(kept, sent)) return undefined;
  return { resourceVersion, patch: JSON.stringify(statusPatch(kept, sent)) };
}
