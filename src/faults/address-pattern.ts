import { kindOf, type Address } from '../actor/messages/message.ts';
import { matchesGlob } from '../kube/text/glob.ts';

/**
 * Returns a test for addresses that match the actors of a plan: an address, a kind, or either with `*` for any text.
 */
export function addressPattern(patterns: string | readonly string[]): (address: Address) => boolean {
  const all = typeof patterns === 'string' ? [patterns] : patterns;
  const exact = new Set(all.filter((pattern) => !pattern.includes('*')));
  const globs = all.filter((pattern) => pattern.includes('*'));
  return (address) =>
    exact.has(address) || exact.has(kindOf(address)) || globs.some((glob) => matchesGlob(glob, address));
}
