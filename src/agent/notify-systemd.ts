import { spawn } from 'node:child_process';

/**
 * Notifies systemd about this service (sd_notify), when systemd started it. Node has no unix datagram sockets, so
 * systemd's own program `systemd-notify` sends the message. Without that program, units must not have `Type=notify`.
 * The unit needs `NotifyAccess=all` where systemd is too old to let that program speak for its parent.
 */
export function notifySystemd(state: 'READY=1' | 'STOPPING=1', socket = process.env['NOTIFY_SOCKET']): void {
  if (socket === undefined) return;
  const args = [`--pid=${process.pid}`, state];
  const notifier = spawn('systemd-notify', args, { stdio: 'ignore', env: { ...process.env, NOTIFY_SOCKET: socket } });
  notifier.on('error', () => {});
  notifier.unref();
}
