/** What the exit codes of hivelet's processes mean. */
export const exitCodes = {
  ok: 0,
  /** Something the user has to mend; starting again would not help. */
  userError: 1,
  /** The agent could not go on, or found a bug in itself; starting again may well help. */
  agentFailed: 70,
  /** The agent held more memory than it may, and ended so that the machine keeps its own; starting again helps. */
  memoryLimit: 72,
  /** Ended by the user's second Ctrl-C. */
  interrupted: 130,
} as const;

/** What an agent process tells the process that started it. */
export type AgentNotice =
  | { readonly type: 'agent-ready' }
  /** Memory that the agent may hold; above that it ends by itself, if it can. */
  | { readonly type: 'agent-memory-limit'; readonly bytes: number }
  /** The agent ends now with this code. An exit waits for every thread, and a thread may wait for the kernel without end. */
  | { readonly type: 'agent-leaving'; readonly code: number };

export function isAgentNotice(message: unknown): message is AgentNotice {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false;
  switch (message.type) {
    case 'agent-ready':
      return true;
    case 'agent-memory-limit':
      return 'bytes' in message && typeof message.bytes === 'number';
    case 'agent-leaving':
      return 'code' in message && typeof message.code === 'number';
    default:
      return false;
  }
}
