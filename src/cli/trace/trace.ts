import { Command, Option } from 'commander';
import type { PodTrace } from '../admin/admin-backend.ts';
import { adminClientFor, rootDirOption } from '../admin-option.ts';
import { formatTable } from '../terminal/format-table.ts';
import type { Program } from '../program-context.ts';
import { UserError } from '../user-error.ts';

interface TraceOptions {
  readonly rootDir: string;
  readonly output?: 'json';
}

/** `hivelet trace pod`: the messages between the agent's actors about one pod. */
export function traceCommand({ terminal, leave }: Program): Command {
  const trace = new Command('trace').description('Follow one thing through the agent, from actor to actor.');
  trace
    .command('pod')
    .description('Shows the recent messages about one pod, in order of time.')
    .argument('<pod>', 'NAMESPACE/NAME, or NAME in the namespace default')
    .addOption(new Option('-o, --output <format>', 'instead of the table').choices(['json']))
    .addOption(rootDirOption())
    .action(async (pod: string, { rootDir, output }: TraceOptions) => {
      const [namespace, name] = podNameFrom(pod);
      const found = await adminClientFor(rootDir).trace(namespace, name);
      if (found === undefined)
        throw new UserError(`there is no pod ${namespace}/${name}; hivelet get pods -A lists the pods`);
      const lines = output === 'json' ? [JSON.stringify(found)] : traceLines(found);
      terminal.write(lines.map((line) => `${line}\n`).join(''));
      leave(0);
    });
  return trace;
}

function podNameFrom(text: string): readonly [namespace: string, name: string] {
  const [first = '', second, ...more] = text.split('/');
  if (first === '' || second === '' || more.length > 0) throw new UserError(`${text} is not NAMESPACE/NAME of a pod`);
  return second === undefined ? ['default', first] : [first, second];
}

/**
 * Returns a pod's timeline: when each message came, counted from the first, how long it waited, and how long its
 * handling took.
 */
export function traceLines({ podUid, steps }: PodTrace): readonly string[] {
  const [first] = steps;
  if (first === undefined) return ['nothing is remembered about this pod'];
  const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
  const short = (address: string): string => address.replace(`/${podUid}`, '') || '-';
  const rows = steps.map((step) => [
    `+${ms(step.at - first.at)}`,
    ms(step.waitedMs),
    ms(step.handledMs),
    step.thread,
    short(step.from),
    short(step.to),
    `${step.message}${step.question ? '?' : ''}${step.about === undefined ? '' : ` ${step.about}`}`,
  ]);
  return formatTable([['AT (ms)', 'WAITED', 'HANDLED', 'THREAD', 'FROM', 'TO', 'MESSAGE'], ...rows]);
}
