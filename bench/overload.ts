/**
 * Does an actor that is sent ten times as many messages as it can read stay within its bounds, and still obey
 * commands at once?
 */
import { parseArgs } from 'node:util';
import { OverloadedThread } from '../test/actor/overloaded-thread.ts';
import { asTable, spread, type Figure } from './actors/figure.ts';

const { values } = parseArgs({ options: { json: { type: 'boolean' }, seconds: { type: 'string', default: '60' } } });

await using overload = new OverloadedThread();
await overload.start();
const result = await overload.run({ forMs: Number(values.seconds) * 1_000, settleMs: 5_000 });
const { told, read, refused, deadAtSender, killsMs, stopsMs } = result;
const figures: readonly Figure[] = [
  { what: 'messages told', value: told, unit: '' },
  { what: 'messages read', value: read, unit: '' },
  { what: 'told for each that was read', value: told / read, unit: '' },
  { what: 'messages refused by the mailbox, counted', value: refused, unit: '' },
  { what: 'messages refused by the link, counted', value: deadAtSender, unit: '' },
  {
    what: 'messages neither read nor counted',
    value: told - read - refused - deadAtSender,
    unit: '',
    target: result.mostThatMayWait,
  },
  ...spread('kill', killsMs, { unit: 'ms', p99: 50 }),
  { what: 'kill, slowest', value: Math.max(...killsMs), unit: 'ms', target: 50 },
  ...spread('stop', stopsMs, { unit: 'ms', p99: 50 }),
  { what: "growth of the reader's heap", value: result.heapGrowthMiB, unit: 'MiB', target: 20 },
  { what: 'growth of the process', value: result.rssGrowthMiB, unit: 'MiB', target: 64 },
];
process.stdout.write(values.json === true ? `${JSON.stringify({ bench: 'overload', figures })}\n` : asTable(figures));
