import { own, put } from '../../../kube/text/own.ts';
import { isMembers } from '../store/api-object.ts';

/** A JSON merge patch (RFC 7396): members are merged, `null` removes, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMembers(patch)) return patch;
  const merged: Record<string, unknown> = { ...(isMembers(target) ? target : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name];
    else put(merged, name, mergePatch(own(merged, name), value));
  }
  return merged;
}
