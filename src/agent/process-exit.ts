/** What the exit codes of hivelet's processes mean. */
export const exitCodes = {
  ok: 0,
  /** Something the user has to mend; starting again would not help. */
  userError: 1,
  /** The agent could not go on, or found a bug in itself; starting again may well help. */
  agentFailed: 70,
  /** Ended by the user's second Ctrl-C. */
  interrupted: 130,
} as const;

/** What an agent process tells the process that started it. */
export interface AgentNotice {
  readonly type: 'agent-ready';
}

export const isAgentNotice = (message: unknown): message is AgentNotice =>
  typeof message === 'object' && message !== null && 'type' in message && message.type === 'agent-ready';
