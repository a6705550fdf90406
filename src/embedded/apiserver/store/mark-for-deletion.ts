import { later, type WallMs } from '../../../actor/clock.ts';
import { apiTime } from '../../../pod/values/api-time.ts';
import type { ApiKind } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { membersOf, withMetadata } from './api-object.ts';
import type { DeleteOptions } from './write-options.ts';

/** Sets or shortens the remaining grace period of an object. */
export function markForDeletion(
  kind: ApiKind,
  old: ApiObject,
  { options, now }: { readonly options: DeleteOptions; readonly now: WallMs },
): { readonly object: ApiObject; readonly isGone: boolean } {
  const { metadata } = old;
  const isHeld = (metadata.finalizers ?? []).length > 0 || kind.storedAs === 'namespaces';
  const grace = kind.rules.gracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined) {
    const current = metadata.deletionGracePeriodSeconds;
    if (current === undefined || !grace) return { object: old, isGone: !isHeld };
    const asked = options.gracePeriodSeconds;
    if (asked === undefined || asked >= current) return { object: old, isGone: false };
    const deletionTimestamp = apiTime(Date.parse(metadata.deletionTimestamp) - (current - asked) * 1000);
    const object = withMetadata(old, { deletionTimestamp, deletionGracePeriodSeconds: Math.max(0, asked) });
    return { object, isGone: asked <= 0 && !isHeld };
  }
  if (!grace) {
    if (!isHeld) return { object: old, isGone: true };
    if (kind.storedAs === 'namespaces') {
      const marked = withMetadata(old, { deletionTimestamp: apiTime(now) });
      return { object: { ...marked, status: { ...membersOf(old, 'status'), phase: 'Terminating' } }, isGone: false };
    }
    const marks = { deletionTimestamp: apiTime(now), deletionGracePeriodSeconds: 0 };
    return { object: withMetadata(old, { ...marks, ...counted(metadata.generation) }), isGone: false };
  }
  const seconds = grace(old, options.gracePeriodSeconds);
  const object = withMetadata(old, {
    deletionTimestamp: apiTime(later(now, seconds * 1000)),
    deletionGracePeriodSeconds: seconds,
    ...counted(metadata.generation),
  });
  return { object, isGone: seconds === 0 && !isHeld };
}

/** The first deletion mark counts as a change of the spec, for kinds with a generation. */
const counted = (generation: number | undefined) => (generation === undefined ? {} : { generation: generation + 1 });
