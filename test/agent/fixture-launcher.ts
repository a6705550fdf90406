import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/actor/clock.ts';
import { silentLog } from '../../src/actor/log.ts';
import { launch } from '../../src/agent/launcher.ts';

/** A launcher of the fixture agent, in a process of its own. */
const agent = fileURLToPath(new URL('fixture-agent.ts', import.meta.url));
const [folder = ''] = process.argv.slice(2);
process.exitCode = await launch({ agent: [agent, folder], clock: systemClock, random: () => 0, log: silentLog });
