import { extname } from 'node:path';

/**
 * The URL of another module of this program, for a worker or a process that starts there: `siblingUrl(import.meta.url, '../thread')`.
 * What bundles the program rewrites imports but not URLs, so the ending is that of the asking module: `.ts` in a
 * checkout, `.js` in what is published.
 */
export const siblingUrl = (base: string, name: string): URL =>
  new URL(`${name}${extname(new URL(base).pathname)}`, base);
