import { claimedName, versionOf, type ClaimedName } from './object-meta.ts';

/** No object of Kubernetes has such a member. A server that sends one has that object left out, and nothing else. */
const UNREAD = '$unread';

/**
 * An object that is too large or too deep to be handed on. It takes the object's place in a list or a watch, so that whoever
 * follows the objects can report it by its name, and keep what was known of it before.
 */
export interface UnreadObject {
  readonly metadata: ClaimedName & { readonly resourceVersion?: string };
  readonly [UNREAD]: string;
}

/** What stands for an object that is not handed on. `why` is for people: `is nested more than 100 deep`. */
export function unreadObject(object: unknown, why: string): UnreadObject {
  const resourceVersion = versionOf(object);
  const metadata = { ...claimedName(object), ...(resourceVersion !== undefined && { resourceVersion }) };
  return { metadata, [UNREAD]: why };
}

/** Why the object was not handed on. `undefined` for an object that was. */
export function whyUnread(object: unknown): string | undefined {
  const why = (object as { readonly [UNREAD]?: unknown } | null | undefined)?.[UNREAD];
  return typeof why === 'string' ? why : undefined;
}

/** An object of the API is a fifth of this deep at most, and code that walks or copies one calls itself at every level. */
const MOST_LEVELS = 100;

/** What is wrong with a parsed value of which something lies too deep. `undefined` for all others. Never overflows the stack. */
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
  for (const member of Object.values(value)) if (isDeeper(member, levels - 1)) return true;
  return false;
}
