import { connect } from 'node:net';
import type { Clock } from '../actor/clock.ts';
import { dialErrorText, hostPort } from './dial-error.ts';
import type { ProbeOutcome } from './probe-outcome.ts';
import type { TcpTarget } from './probe-target.ts';

/**
 * Succeeds when a connection opens. The connection is reset at once, so no socket is left waiting for late packets.
 */
export function tcpConnect({ host, port }: TcpTarget, timeoutMs: number, clock: Clock): Promise<ProbeOutcome> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, autoSelectFamily: false });
    const cancel = clock.after(timeoutMs, () => {
      resolve({ result: 'failure', output: `dial tcp ${hostPort(host, port)}: i/o timeout` });
      socket.destroy();
    });
    socket.once('connect', () => {
      cancel();
      socket.resetAndDestroy();
      resolve({ result: 'success', output: '' });
    });
    // The listener stays after the end: an error without a listener would end the thread.
    socket.on('error', (error) => {
      cancel();
      resolve({ result: 'failure', output: dialErrorText(error, host, port) });
    });
  });
}
