import { own } from '../../src/kube/text/own.ts';

/**
 * Returns `true` if two inspections of one sandbox or container found the same. Annotations and labels never change, so they
 * are not compared.
 */
export function sameRuntimeState(one: object, other: object): boolean {
  for (const [key, value] of Object.entries(one)) {
    // Both objects have the same type; the comparison does not depend on which.
    const against = own(other as Record<string, unknown>, key);
    if (Array.isArray(value) && Array.isArray(against)) {
      if (value.length !== against.length || value.some((each, index) => each !== against[index])) return false;
    } else if (typeof value !== 'object' && value !== against) return false;
  }
  return true;
}
