import { Command, Option } from 'commander';
import { adminClientFor, rootDirOption } from '../admin-option.ts';
import { getPods, type GetPodsOptions, watchPods } from './get-pods.ts';
import type { Program } from '../program-context.ts';

/** `hivelet get pods`: the pods of the agent on this machine. */
export function getCommand(program: Program): Command {
  const get = new Command('get')
    .description('Show objects of the agent on this machine.')
    .summary('show the pods of the agent on this machine');
  const pods = get
    .command('pods')
    .aliases(['pod', 'po'])
    .argument('[names...]', 'only these pods')
    .summary('show pods as kubectl does')
    .description('Shows pods as kubectl does. Reads from the running agent; no API server is needed.')
    .addOption(new Option('-o, --output <format>', 'instead of the table').choices(['json', 'yaml', 'wide', 'name']))
    .option('-n, --namespace <name>', 'pods of this namespace', 'default')
    .option('-A, --all-namespaces', 'pods of all namespaces')
    .option('-w, --watch', 'keep running and show changes')
    .option('--no-headers', 'omit the column headers')
    .addOption(rootDirOption());
  pods.action(async (names: readonly string[], options: PodsOptions) => {
    const { terminal, clock } = program;
    const wanted: GetPodsOptions = {
      names,
      namespace: options.allNamespaces === true ? undefined : options.namespace,
      output: options.output ?? 'table',
      headers: options.headers,
    };
    const deps = { backend: adminClientFor(options.rootDir), terminal, clock };
    program.leave(options.watch === true ? await watchPods(wanted, deps) : await getPods(wanted, deps));
  });
  return get;
}

interface PodsOptions {
  readonly output?: GetPodsOptions['output'];
  readonly namespace: string;
  readonly allNamespaces?: true;
  readonly watch?: true;
  readonly headers: boolean;
  readonly rootDir: string;
}
