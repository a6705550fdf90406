import { join } from 'node:path';

/** Linux keeps the path of a unix socket in 108 bytes, the last one a zero; more is cut off or refused without a word why. */
const LONGEST_SOCKET_PATH = 107;

/** Where the agent with this root folder listens. Who can open it is the agent's owner alone (mode 0600). */
export const adminSocketPath = (rootDir: string): string => join(rootDir, 'hivelet.sock');

export const fitsSocketPath = (path: string): boolean => Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;

/** What the agent says of itself. */
export interface AgentIdentity {
  readonly pid: number;
  readonly version: string;
}
