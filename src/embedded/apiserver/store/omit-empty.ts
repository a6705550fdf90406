import type { Shape } from '../../../kube/manifest/decode-shape.ts';
import { put } from '../../../kube/text/own.ts';
import { isMembers } from './api-object.ts';

/** These keep an empty list: the members are never absent. */
const KEPT: ReadonlySet<string> = new Set(['containers', 'drivers']);

/**
 * Returns the value without empty lists and maps: the API treats them as absent, and never returns them. Empty
 * objects are kept. Returns the same value when nothing was left out.
 */
export function omitEmpty(shape: Shape, value: unknown): unknown {
  if (typeof shape === 'string' || 'map' in shape) return value;
  if ('list' in shape) {
    if (typeof shape.list === 'string' || !Array.isArray(value)) return value;
    const items: readonly unknown[] = value;
    let changed: unknown[] | undefined;
    items.forEach((item, index) => {
      const kept = omitEmpty(shape.list, item);
      if (kept !== item) (changed ??= [...items])[index] = kept;
    });
    return changed ?? value;
  }
  if (!isMembers(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const [name, member] of Object.entries(value)) {
    const known = shape.object.get(name);
    if (known === undefined || typeof known === 'string') continue;
    if (isEmpty(known, member) && !KEPT.has(name)) delete (changed ??= { ...value })[name];
    else {
      const kept = omitEmpty(known, member);
      if (kept !== member) put((changed ??= { ...value }), name, kept);
    }
  }
  return changed ?? value;
}

function isEmpty(shape: Exclude<Shape, string>, value: unknown): boolean {
  if ('list' in shape) return Array.isArray(value) && value.length === 0;
  return 'map' in shape && isMembers(value) && Object.keys(value).length === 0;
}
