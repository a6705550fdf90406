import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/actor/clock.ts';
import { silentLog } from '../../src/actor/log.ts';
import { launch } from '../../src/agent/launcher.ts';

/** A launcher of the fixture agent, in a separate process. With `shown` it prints each logged error as a line. */
const agent = fileURLToPath(new URL('fixture-agent.ts', import.meta.url));
const [folder = '', how = 'dies', shown] = process.argv.slice(2);
const error = (fields: object): void => void process.stdout.write(`${JSON.stringify(fields)}\n`);
const log = shown === undefined ? silentLog : { ...silentLog, error };
process.exitCode = await launch({ agent: [agent, folder, how], clock: systemClock, random: () => 0, log });
