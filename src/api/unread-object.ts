import { own, type Keyed } from '../kube/text/own.ts';
import { claimedName, versionOf, type ClaimedName } from './object-meta.ts';

/** No object of Kubernetes has such a member. If a server sends one, that object alone is left out. */
const UNREAD = '$unread';

/**
 * An object that is too large or too deep to hand on. It takes the object's place in a list or a watch. The
 * reflector reports the object by its name and keeps its last good version.
 */
export interface UnreadObject {
  readonly metadata: ClaimedName & { readonly resourceVersion?: string };
  readonly [UNREAD]: string;
}

/** Returns the placeholder for an object. `why` is for people: `is nested more than 100 deep`. */
export function unreadObject(object: unknown, why: string): UnreadObject {
  const resourceVersion = versionOf(object);
  const metadata = { ...claimedName(object), ...(resourceVersion !== undefined && { resourceVersion }) };
  return { metadata, [UNREAD]: why };
}

/** Returns why the object was not handed on. `undefined` for an object that was. */
export function whyUnread(object: unknown): string | undefined {
  // Any object may be read so: the member is checked below.
  const why = (object as { readonly [UNREAD]?: unknown } | null | undefined)?.[UNREAD];
  return typeof why === 'string' ? why : undefined;
}

/**
 * API objects are a fifth of this deep at most. Code that walks or copies an object recurses once for each level.
 */
const MOST_LEVELS = 100;

/**
 * Returns the problem of a parsed value with something nested too deep. `undefined` for all others. Never overflows
 * the stack.
 */
export const whyTooDeep = (value: unknown): string | undefined =>
  isDeeper(value, MOST_LEVELS) ? `is nested more than ${MOST_LEVELS} deep` : undefined;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (const item of items) if (isDeeper(item, levels - 1)) return true;
    return false;
  }
  // A parsed object inherits no member that could be enumerated.
  for (const name in value) if (isDeeper(own(value as Keyed<unknown>, name), levels - 1)) return true;
  return false;
}
