import { existsSync, writeFileSync } from 'node:fs';

/**
 * Stands in for the agent process: dies by itself the first time, is ready the second time, and ends with 0 when it is
 * asked to, or when its launcher is gone. Writes what happens to it, a line each.
 */
const [folder = ''] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const mark = `${folder}/died-once`;
if (!existsSync(mark)) {
  writeFileSync(mark, '');
  say('dies');
  process.send?.({ type: 'agent-ready' }, () => process.exit(134));
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
