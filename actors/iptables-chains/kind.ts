import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';
import { systemClock } from '../../src/actor/clock.ts';
import { runBounded } from '../../src/host/run-bounded.ts';
import { IptablesChains } from './actor.ts';
import type { Iptables } from './look-at-family.ts';
import type { IptablesChainsProtocol } from './protocol.ts';

/** Keeps the iptables chains of the node. Idle with `makeIPTablesUtilChains: false`. */
export const kind = agentKind<IptablesChainsProtocol>({
  runsOn: 'volumes',
  standsOn: [],
  mailbox: SMALL_MAILBOX,
  messageTypes: { 'look-due': true, 'look-ended': true },
  make({ settings: { config } }) {
    const makes = config.makeIPTablesUtilChains ? 'chains' : 'nothing';
    return (context) => new IptablesChains(context, { iptables: hostIptables, makes });
  },
});

/** Longer than iptables itself waits for its lock. */
const ENDS_WITHIN_MS = 15_000;
const MOST_BYTES = 64 * 1024;
/** Waits five seconds for the lock that other users of iptables hold. */
const WAIT = ['-w', '5'];

const hostIptables: Iptables = {
  async run(family, args) {
    const command = family === 'IPv4' ? 'iptables' : 'ip6tables';
    const bounds = { env: process.env, withinMs: ENDS_WITHIN_MS, maxBytes: MOST_BYTES };
    const { code, complaint, problem } = await runBounded(
      { command, args: [...WAIT, ...args], ...bounds },
      systemClock,
    );
    return { code, text: complaint.trim() || (problem ?? '') };
  },
};
