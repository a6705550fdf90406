/** The exit codes of hivelet's processes. */
export const exitCodes = {
  ok: 0,
  /** A problem that the user has to mend; a restart would not help. */
  userError: 1,
  /** The agent could not continue, or found a bug in itself; a restart may help. */
  agentFailed: 70,
  /** The agent exceeded its memory limit and ended to spare the machine's memory; a restart helps. */
  memoryLimit: 72,
  /** Ended by the user's second Ctrl-C. */
  interrupted: 130,
} as const;

/** Notices of an agent process to the process that started it. */
export type AgentNotice =
  | { readonly type: 'agent-ready' }
  /** The agent's health checks have passed, for the watchdog of systemd. */
  | { readonly type: 'agent-healthy' }
  /** The OOM score of the agent, which its launcher takes as well: without a launcher the agent ends. */
  | { readonly type: 'agent-oom-score'; readonly value: number }
  /** The memory limit of the agent. The agent exits when it exceeds the limit, if it can. */
  | { readonly type: 'agent-memory-limit'; readonly bytes: number }
  /**
   * The agent exits now with this code. An exit waits for every thread, and a thread may wait for the kernel for ever.
   */
  | { readonly type: 'agent-exiting'; readonly code: number };

export function isAgentNotice(message: unknown): message is AgentNotice {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false;
  switch (message.type) {
    case 'agent-ready':
    case 'agent-healthy':
      return true;
    case 'agent-oom-score':
      return 'value' in message && typeof message.value === 'number';
    case 'agent-memory-limit':
      return 'bytes' in message && typeof message.bytes === 'number';
    case 'agent-exiting':
      return 'code' in message && typeof message.code === 'number';
    default:
      return false;
  }
}
