import { unknownFieldOf } from '../../src/api/api-fault.ts';
import type { ApiFault } from '../../src/api/api-request.ts';
import type { PodStatus } from '../../src/kube/pod.ts';
import { statusPatch } from '../../src/pod/status/status-patch.ts';
import { sameStatus } from '../../src/pod/status/same-status.ts';

/**
 * What an API server that is older than this agent does not know of a pod's status. It keeps silent about most of it: what
 * it does not know is not kept. Of some of it, it will not have any patch.
 */
export class OlderServer {
  readonly #unknown = new Set<keyof PodStatus>();

  /** Learns from a refusal; answers with the field that was new to the server, if that was the reason. */
  learn(fault: ApiFault): string | undefined {
    const { struct, field } = unknownFieldOf(fault) ?? {};
    if (struct !== 'PodStatus' || field === undefined) return undefined;
    // What was left out already cannot be the reason.
    if (this.#unknown.has(field as keyof PodStatus)) return undefined;
    this.#unknown.add(field as keyof PodStatus);
    return field;
  }

  /** The status, as far as the server knows such things. */
  known(status: PodStatus): PodStatus {
    if (this.#unknown.size === 0) return status;
    const known: Record<string, unknown> = { ...status };
    for (const field of this.#unknown) delete known[field];
    return known;
  }
}

/** What the server did not keep of what it has taken, at a version of the object. */
export interface Dropped {
  readonly resourceVersion: string;
  /** The patch that would say it again. */
  readonly patch: string;
}

export function droppedOf(sent: PodStatus, kept: PodStatus, resourceVersion: string): Dropped | undefined {
  if (sameStatus(kept, sent)) return undefined;
  return { resourceVersion, patch: JSON.stringify(statusPatch(kept, sent)) };
}
