import { agentKind, SMALL_MAILBOX } from '../../src/agent/kind.ts';
import { Uptime } from './actor.ts';
import type { UptimeProtocol } from './protocol.ts';

/** An actor to copy from: it answers how long it has run. */
export const kind = agentKind<UptimeProtocol>({
  livesOn: 'node',
  standsOn: [],
  mailbox: SMALL_MAILBOX,
  messageTypes: { uptime: true },
  make: () => (context) => new Uptime(context),
});
