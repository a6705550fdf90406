import { Command, Option } from 'commander';
import type { Clock } from '../../actor/clock.ts';
import type { Program } from '../program-context.ts';
import { onStopSignal } from '../../agent/stop-signals.ts';
import { UserError } from '../user-error.ts';
import { messageOf } from '../../kube/text/message-of.ts';
import { tellParent } from '../tell-parent.ts';

interface RuntimeOptions {
  readonly socket: string;
  readonly script?: string;
  readonly seed?: number;
  readonly events: 'on' | 'off';
}

/** `hivelet runtime`: the embedded runtime on its own. */
export function runtimeCommand({ terminal, leave, clock }: Program): Command {
  return new Command('runtime')
    .summary('serve a simulated CRI runtime on a socket')
    .description(
      'Serves a CRI v1 runtime that simulates containers and runs or pulls nothing. For development, tests and ' +
        'benchmarks of any kubelet.',
    )
    .requiredOption('--socket <path>', 'the unix socket to listen on')
    .option('--script <file>', 'YAML or JSON that sets how images and containers behave')
    .option('--seed <n>', 'makes the IDs the same in each run', wholeNumber)
    .addOption(
      new Option('--events <state>', 'whether container events are streamed').choices(['on', 'off']).default('on'),
    )
    .action(async (options: RuntimeOptions) => {
      const stopped = new Promise<void>((resolve) => onStopSignal(['SIGINT', 'SIGTERM'], () => resolve()));
      const runtime = await serve(options, clock);
      terminal.write(`embedded runtime listening on unix://${runtime.socketPath}\n`);
      tellParent({ type: 'runtime-ready' });
      await stopped;
      await runtime.close();
      leave(0);
    });
}

async function serve({ socket, script, seed, events }: RuntimeOptions, clock: Clock) {
  const { serveEmbeddedRuntime } = await import('../../embedded/runtime/serve/serve.ts');
  const { readScriptFile } = await import('../../embedded/runtime/script/read-script-file.ts');
  try {
    return await serveEmbeddedRuntime({
      socketPath: socket,
      events,
      ...(script !== undefined && { script: await readScriptFile(script, clock) }),
      ...(seed !== undefined && { seed }),
    });
  } catch (error) {
    throw new UserError(`the embedded runtime cannot start: ${messageOf(error)}`);
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UserError(`--seed takes a whole number, not ${text}`);
  return Number(text);
}
