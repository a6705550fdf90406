import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { notifySystemd } from '../../../src/agent/systemd/notify-systemd.ts';

/** Prints each datagram that arrives at a unix socket as a line; Node has no such sockets. */
const RECEIVER = `
  socket(my $in, PF_UNIX, SOCK_DGRAM, 0) or die $!;
  bind($in, pack_sockaddr_un($ARGV[0])) or die $!;
  $| = 1;
  print "listening\\n";
  while (defined recv($in, my $text, 4096, 0)) { $text =~ s/\\n/ /g; print "$text\\n" }
`;

let folder: string;
let socket: string;
let notices: AsyncIterator<string>;
const children: ChildProcess[] = [];

const nextNotice = async (): Promise<string> => String((await notices.next()).value);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-notify-'));
  socket = join(folder, 'notify');
  const receiver = spawn('perl', ['-MSocket', '-e', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(receiver);
  if (receiver.stdout === null) throw new Error('the receiver has no output');
  notices = createInterface(receiver.stdout)[Symbol.asyncIterator]();
  if ((await nextNotice()) !== 'listening') throw new Error('the receiver does not listen');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true });
});

describe('a notice to systemd', () => {
  it.each(['READY=1', 'WATCHDOG=1', 'STOPPING=1'] as const)(
    '%s arrives as a datagram, for this process',
    async (state) => {
      expect(await notifySystemd(state, socket)).toBe(true);
      const notice = await nextNotice();
      expect(notice.split(' ')).toContain(state);
      expect(notice.split(' ')).toContain(`MAINPID=${process.pid}`);
    },
  );

  it('that nobody receives is reported as not sent', async () => {
    expect(await notifySystemd('WATCHDOG=1', join(folder, 'nobody'))).toBe(false);
  });

  it('is not sent where systemd started nothing', async () => {
    expect(await notifySystemd('WATCHDOG=1', undefined)).toBe(false);
  });
});

it(
  "a launcher notifies the watchdog for an agent that starts, and then on the agent's reports",
  { timeout: 60_000 },
  async () => {
    const script = fileURLToPath(new URL('../fixture-launcher.ts', import.meta.url));
    const env = { ...process.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: '2000000' };
    const launcher = spawn(process.execPath, [script, folder, 'starts-slowly'], { stdio: 'ignore', env });
    children.push(launcher);
    const told = async (state: string): Promise<void> => {
      while (!(await nextNotice()).split(' ').includes(state));
    };
    await told('WATCHDOG=1');
    await told('READY=1');
    await told('WATCHDOG=1');
    launcher.kill('SIGTERM');
    await told('STOPPING=1');
    expect(await once(launcher, 'exit')).toEqual([0, null]);
  },
);
