import type { Clock } from '../actor/clock.ts';
import type { Random } from '../actor/random.ts';
import type { AgentMachine } from './run/agent-machine.ts';
import type { StartAgent } from './run/run-agent.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The dependencies of the commands. */
export interface Program {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  readonly startAgent: StartAgent;
  readonly machine: AgentMachine;
  /** The script that this process runs, and its arguments, for starting it again. */
  readonly mainScript: string;
  readonly args: readonly string[];
  /** Says with which code this process is to end. */
  readonly leave: (code: number) => void;
}
