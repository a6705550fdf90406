import { join } from 'node:path';

/**
 * Linux keeps the path of a unix socket in 108 bytes, the last one a zero. A longer path is cut off or refused without
 * a reason.
 */
const LONGEST_SOCKET_PATH = 107;

/** Returns the socket of the agent with this root folder. Only the agent's owner can open it (mode 0600). */
export const adminSocketPath = (rootDir: string): string => join(rootDir, 'hivelet.sock');

export const fitsSocketPath = (path: string): boolean => Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;

/** The identity that the agent reports. */
export interface AgentIdentity {
  readonly pid: number;
  readonly version: string;
}
