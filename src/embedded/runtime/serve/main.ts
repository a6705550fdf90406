import { parseArgs } from 'node:util';
import { systemClock } from '../../../actor/clock.ts';
import { readScriptFile } from '../script/read-script-file.ts';
import { serveEmbeddedRuntime } from './serve.ts';
import { messageOf } from '../../../kube/text/message-of.ts';

const USAGE =
  'usage: node src/embedded/runtime/serve/main.ts --socket PATH [--script FILE] [--seed N] [--events on|off]';

const fail = (text: string): never => {
  process.stderr.write(`${text}\n`);
  process.exit(1);
};

async function readOptions(): Promise<Parameters<typeof serveEmbeddedRuntime>[0]> {
  const { values } = parseArgs({
    options: {
      socket: { type: 'string' },
      script: { type: 'string' },
      seed: { type: 'string' },
      events: { type: 'string' },
    },
  });
  const { socket, script, seed, events } = values;
  if (socket === undefined) throw new Error(USAGE);
  if (events !== undefined && events !== 'on' && events !== 'off') throw new Error(`--events ${events}: on or off`);
  if (seed !== undefined && !/^\d+$/.test(seed)) throw new Error(`--seed ${seed}: a whole number`);
  return {
    socketPath: socket,
    ...(script !== undefined && { script: await readScriptFile(script, systemClock) }),
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(events !== undefined && { events }),
  };
}

try {
  const runtime = await serveEmbeddedRuntime(await readOptions());
  process.stdout.write(`embedded runtime listening on unix://${runtime.socketPath}\n`);
  const end = (): void => {
    runtime.close().then(
      () => process.exit(0),
      (error: unknown) => fail(String(error)),
    );
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
} catch (error) {
  fail(messageOf(error));
}
