import { systemClock } from '../../actor/clock.ts';
import { readTextOrPipe } from '../../host/read-regular-file.ts';
import { text as textOf } from 'node:stream/consumers';
import { Argument, Command, Option } from 'commander';
import { provocations, type Provocation } from '../../actor/threads/thread-control.ts';
import { formatFaultProblem } from '../../faults/fault-problem.ts';
import { adminClientFor, rootDirOption } from '../admin-option.ts';
import { faultLines } from './fault-list.ts';
import {
  apiFaultFrom,
  criFaultFrom,
  durationFrom,
  planOf,
  targetFrom,
  type FaultLimits,
  type WrittenPlan,
} from './fault-rules.ts';
import { humanDuration } from '../../kube/text/human-duration.ts';
import type { Program } from '../program-context.ts';
import { UserError } from '../user-error.ts';
import { messageOf } from '../../kube/text/message-of.ts';

interface Where {
  readonly rootDir: string;
}
type RuleOptions = Where & FaultLimits;

/** `hivelet fault`: makes parts of an agent fail. The agent must run with --enable-fault-injection. */
export function faultCommand(program: Program): Command {
  return new Command('fault')
    .summary('make parts of the agent fail, to test how it recovers')
    .description(
      'Makes parts of an agent fail. The agent must run with --enable-fault-injection. Faults act at once or by the rules of ' +
        'a plan, within a blast radius and for a limited time. Only the user that runs the agent may do this.',
    )
    .addCommand(applyCommand(program))
    .addCommand(killCommand(program))
    .addCommand(hangCommand(program))
    .addCommand(dropCommand(program))
    .addCommand(delayCommand(program))
    .addCommand(criCommand(program))
    .addCommand(apiCommand(program))
    .addCommand(listCommand(program))
    .addCommand(clearCommand(program));
}

const actorArgument = 'pleg, pod-worker/NAMESPACE/NAME, pod-worker/UID, or a kind for all its actors';

function applyCommand(program: Program): Command {
  return new Command('apply')
    .description('Applies a fault plan beside the plans already applied. A plan with an error is rejected whole.')
    .requiredOption('-f, --filename <file>', 'the plan, as YAML or JSON; - reads standard input')
    .addOption(rootDirOption())
    .action(async ({ filename, rootDir }: Where & { readonly filename: string }) => {
      await apply(program, rootDir, await readPlan(filename));
    });
}

function killCommand({ terminal, leave }: Program): Command {
  const kill = new Command('kill').description('Ends an actor or a thread at once. Its supervisor restarts it.');
  kill
    .command('actor')
    .description('Makes an actor crash.')
    .argument('<actor>', 'pleg, pod-worker/NAMESPACE/NAME or pod-worker/UID')
    .addOption(rootDirOption())
    .action(async (actor: string, { rootDir }: Where) => {
      const found = await adminClientFor(rootDir).crashActor(actor);
      if (!found) throw new UserError(`there is no actor ${actor}`);
      terminal.write(`crashed actor ${actor}\n`);
      leave(0);
    });
  kill
    .command('thread')
    .description('Makes a thread fail, with all actors on it.')
    .addArgument(new Argument('<name>', 'its name, as hivelet top shows it'))
    .addOption(new Option('--how <way>', 'how the thread fails').choices(provocations).default('exit'))
    .addOption(rootDirOption())
    .action(async (name: string, { how, rootDir }: Where & { readonly how: Provocation }) => {
      const found = await adminClientFor(rootDir).provokeThread(name, how);
      if (!found)
        throw new UserError(
          `there is no thread ${name} that faults can be injected into; hivelet top lists the threads`,
        );
      terminal.write(`made thread ${name} fail: ${how}\n`);
      leave(0);
    });
  return kill;
}

function hangCommand(program: Program): Command {
  const hang = new Command('hang').description('Stops an actor from reading messages, or keeps a thread busy.');
  const forOption = (without: string): Option => new Option('--for <duration>', `how long; by default ${without}`);
  const forMs = (text: string | undefined): { readonly forMs?: number } =>
    text === undefined ? {} : { forMs: durationFrom(text) };
  hang
    .command('thread')
    .description('Keeps a thread busy, so that no actor on it runs.')
    .argument('<name>', 'its name, as hivelet top shows it')
    .addOption(forOption('until the supervisor replaces the thread'))
    .addOption(rootDirOption())
    .action(async (thread: string, options: Where & { readonly for?: string }) => {
      const rule = { match: { thread }, action: { type: 'hang-thread', ...forMs(options.for) } };
      await apply(program, options.rootDir, planOf(rule, {}));
    });
  withLimits(
    hang
      .command('actor')
      .description('Stops an actor from reading, from its next message on.')
      .argument('<actor>', actorArgument)
      .addOption(forOption('until the plan ends')),
  ).action(async (actor: string, options: RuleOptions & { readonly for?: string }) => {
    await apply(
      program,
      options.rootDir,
      planOf({ match: { actor }, action: { type: 'hang', ...forMs(options.for) } }, options),
    );
  });
  return hang;
}

function dropCommand(program: Program): Command {
  const drop = new Command('drop')
    .description('Drops messages to an actor.')
    .argument('<actor[:message]>', `${actorArgument}; with the type of message if only such are meant`);
  return withLimits(drop).action(async (target: string, options: RuleOptions) => {
    await apply(program, options.rootDir, planOf({ match: targetFrom(target), action: { type: 'drop' } }, options));
  });
}

function delayCommand(program: Program): Command {
  const delay = new Command('delay')
    .description('Delays messages to an actor.')
    .argument('<actor[:message]>', `${actorArgument}; with the type of message if only such are meant`)
    .argument('<duration>', 'for how long, such as 500ms');
  return withLimits(delay).action(async (target: string, duration: string, options: RuleOptions) => {
    const action = { type: 'delay', delayMs: durationFrom(duration) };
    await apply(program, options.rootDir, planOf({ match: targetFrom(target), action }, options));
  });
}

function criCommand(program: Program): Command {
  const cri = new Command('cri')
    .description('Makes calls to the runtime fail, such as StartContainer=UNAVAILABLE@10%.')
    .argument(
      '<method=fault[@rate]>',
      'a CRI method; a gRPC code, a duration by which it is late, drop, lose-answer, hang, duplicate or reorder',
    );
  return withLimits(cri).action(async (text: string, options: RuleOptions) => {
    const { rate = options.rate, ...rule } = criFaultFrom(text);
    await apply(program, options.rootDir, planOf(rule, { ...options, ...(rate !== undefined && { rate }) }));
  });
}

function apiCommand(program: Program): Command {
  const api = new Command('api')
    .description("Makes calls to the API server fail, such as 'GET pods=429@10%'.")
    .argument(
      '<verb resource=fault[@rate]>',
      'get, list, watch, watch-event, create, update, patch, delete, a method of HTTP, or *; pods, pods/status and so on, ' +
        'or nothing; a status of HTTP, unreachable, unreadable, a duration by which it is late, drop, lose-answer, hang or duplicate',
    );
  return withLimits(api).action(async (text: string, options: RuleOptions) => {
    const { rate = options.rate, ...rule } = apiFaultFrom(text);
    await apply(program, options.rootDir, planOf(rule, { ...options, ...(rate !== undefined && { rate }) }));
  });
}

function listCommand({ terminal, leave }: Program): Command {
  return new Command('list')
    .description('Shows the applied plans and what each has done so far.')
    .addOption(new Option('-o, --output <format>', 'instead of the table').choices(['json']))
    .addOption(rootDirOption())
    .action(async ({ output, rootDir }: Where & { readonly output?: 'json' }) => {
      const plans = await adminClientFor(rootDir).listFaults();
      const lines = output === 'json' ? [JSON.stringify(plans)] : faultLines(plans);
      terminal.write(lines.map((line) => `${line}\n`).join(''));
      leave(0);
    });
}

function clearCommand({ terminal, leave }: Program): Command {
  return new Command('clear')
    .description('Removes plans. Held messages are delivered, and no further faults occur.')
    .argument('[plan]', 'the number of a plan, as hivelet fault list shows it; by default all plans')
    .addOption(rootDirOption())
    .action(async (plan: string | undefined, { rootDir }: Where) => {
      if (plan !== undefined && !/^[1-9]\d{0,8}$/.test(plan)) throw new UserError(`${plan} is not a plan number`);
      const cleared = await adminClientFor(rootDir).clearFaults(plan === undefined ? undefined : Number(plan));
      if (plan !== undefined && cleared === 0)
        throw new UserError(`there is no plan ${plan}; hivelet fault list shows the plans`);
      terminal.write(`${cleared} ${cleared === 1 ? 'plan was' : 'plans were'} removed\n`);
      leave(0);
    });
}

const withLimits = (command: Command): Command =>
  command
    .option('--rate <part>', 'the share to affect, chosen at random: 10% or 0.1')
    .option('--at-most <times>', 'how often at most')
    .option('--minutes <number>', 'end the fault after this many minutes; by default 10')
    .option('--seed <number>', 'seed of the random choices')
    .addOption(rootDirOption());

/** Sends a plan and prints the result. */
async function apply({ terminal, leave }: Program, rootDir: string, plan: string | WrittenPlan): Promise<void> {
  const text = typeof plan === 'string' ? plan : JSON.stringify(plan);
  const applied = await adminClientFor(rootDir).applyFaults(text);
  if (!applied.ok) {
    const problems = applied.problems.map(formatFaultProblem).join('\n');
    throw new UserError(`${problems}\nnothing was applied`);
  }
  const { id, rules, endsInMs } = applied;
  const what = rules === 1 ? '1 rule' : `${rules} rules`;
  terminal.write(`plan ${id} applied: ${what}, for ${humanDuration(endsInMs)}; hivelet fault clear ${id} removes it\n`);
  leave(0);
}

async function readPlan(filename: string): Promise<string> {
  if (filename === '-') return textOf(process.stdin);
  try {
    return await readTextOrPipe(filename, systemClock);
  } catch (error) {
    throw new UserError(`cannot read ${filename}: ${messageOf(error)}`);
  }
}
