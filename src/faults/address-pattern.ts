import { kindOf, type Address } from '../actor/message.ts';

/** Whether an address fits what a plan says of actors: an address, a kind, or either with `*` for any text. */
export function addressPattern(patterns: string | readonly string[]): (address: Address) => boolean {
  const all = typeof patterns === 'string' ? [patterns] : patterns;
  const exact = new Set(all.filter((pattern) => !pattern.includes('*')));
  const globs = all.filter((pattern) => pattern.includes('*')).map(globPattern);
  return (address) => exact.has(address) || exact.has(kindOf(address)) || globs.some((glob) => glob.test(address));
}

/** Any text for each `*`; everything else stands for itself. */
export function globPattern(glob: string): RegExp {
  const literal = glob.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}
