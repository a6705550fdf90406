import { spawn } from 'node:child_process';

export type SystemdNotice = 'READY=1' | 'STOPPING=1' | 'WATCHDOG=1';

/** The program that sends a notice may wait for a full socket. */
const SENT_WITHIN_MS = 5_000;

/**
 * Notifies systemd about this service (sd_notify), when systemd started it. Node has no unix datagram sockets, so
 * systemd's own program `systemd-notify` sends the message. Without that program, units must not have `Type=notify`.
 * The unit needs `NotifyAccess=all` where systemd is too old to let that program speak for its parent. Resolves with
 * `false` when the notice was not sent. Never rejects.
 */
export function notifySystemd(state: SystemdNotice, socket = process.env['NOTIFY_SOCKET']): Promise<boolean> {
  if (socket === undefined) return Promise.resolve(false);
  const args = [`--pid=${process.pid}`, state];
  const env = { ...process.env, NOTIFY_SOCKET: socket };
  const notifier = spawn('systemd-notify', args, { stdio: 'ignore', env, timeout: SENT_WITHIN_MS });
  notifier.unref();
  return new Promise((resolve) => {
    notifier.once('error', () => resolve(false));
    notifier.once('close', (code) => resolve(code === 0));
  });
}
