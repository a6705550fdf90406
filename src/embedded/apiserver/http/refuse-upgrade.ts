import type { Duplex } from 'node:stream';
import { refuseUpgradeWith } from '../../../serving/streams/upgrade-head.ts';
import type { Refusal } from '../store/refusal.ts';

/** Answers a stream request with the API's refusal, and closes its connection. */
export function refuseUpgrade(socket: Duplex, { status }: Refusal): void {
  refuseUpgradeWith(socket, {
    status: status.code,
    reason: status.reason ?? 'Error',
    contentType: 'application/json',
    text: `${JSON.stringify(status)}\n`,
  });
}
