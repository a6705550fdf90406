import { existsSync, writeFileSync } from 'node:fs';
import { systemClock } from '../../src/actor/clock.ts';
import { every } from '../../src/agent/systemd/watchdog.ts';

/**
 * A fake agent process: it fails the first time, is ready the second time, and exits with 0 when it is
 * asked to, or when its launcher is gone. It writes a line per event. Its failure is one of these: it `dies` by itself;
 * it `starts-slowly` and does not fail, has its launcher's watchdog, and then reports its health;
 * it `outgrows` its memory limit of 50 MiB by 400 MiB and hangs; it hangs in its `exit`; it `kill`s itself in its exit.
 */
const [folder = '', how = 'dies'] = process.argv.slice(2);
const hang = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const mark = `${folder}/died-once`;
if (how === 'starts-slowly') {
  process.on('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => process.exit(0));
  // Until the launcher has notified the watchdog for it.
  systemClock.after(2_500, () => {
    process.send?.({ type: 'agent-ready' });
    if (process.env['WATCHDOG_USEC'] === '2000000')
      every(systemClock, 500, () => process.send?.({ type: 'agent-healthy' }));
  });
} else if (!existsSync(mark)) {
  writeFileSync(mark, '');
  say('dies');
  process.send?.({ type: 'agent-ready' }, () => {
    if (how === 'outgrows') {
      process.send?.({ type: 'agent-memory-limit', bytes: 50 * 2 ** 20 }, () => {
        Buffer.alloc(400 * 2 ** 20, 1);
        hang();
      });
    } else if (how === 'exit') process.send?.({ type: 'agent-exiting', code: 72 }, hang);
    else if (how === 'kill')
      process.send?.({ type: 'agent-exiting', code: 72 }, () => process.kill(process.pid, 'SIGKILL'));
    else process.exit(134);
  });
} else {
  process.on('SIGTERM', () => {
    say('was asked to stop');
    process.exit(0);
  });
  process.on('disconnect', () => {
    writeFileSync(`${folder}/orphaned`, '');
    process.exit(0);
  });
  process.send?.({ type: 'agent-ready' });
  say(`ready ${process.pid}`);
}
