/**
 * What does it cost the agent to start n pods at once, and to keep them? On the embedded runtime, beside the floor: a bare
 * client that makes the same CRI and API calls. Static pods from a folder, or pods that an API server binds to the node.
 *
 *     npm run -s bench -- density --pods 1000 [--json]
 *     npm run -s bench -- density --all [--markdown]
 *     npm run -s bench -- density --pods 1000 --via api [--kubeconfig FILE]
 */
import { availableParallelism, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/actor/clock.ts';
import { measureAgent } from './density/measure-agent.ts';
import { measureApiAgent } from './density/measure-api-agent.ts';
import { measureFloor } from './density/floor/measure-floor.ts';
import type { DensityFigures } from './density/figures.ts';
import { programScript } from './density/program.ts';
import { asJsonLine, asMarkdown, asText, type Circumstances } from './density/report.ts';

const ALL_SIZES = { folder: [200, 1_000, 3_000], api: [200, 1_000, 5_000] };

const USAGE = `usage: npm run -s bench -- density (--pods N | --all) [--json | --markdown]
  --via PLACE        where pods come from: folder (default), or api, an API server in a process of its own
  --kubeconfig FILE  with --via api: of a server that runs already, in place of an embedded one
  --content-type T   with --via api: the agent's setting contentType
  --sources          the .ts sources as they are, instead of dist/
  --profile NAME     how the agent spreads its actors: standard, compact, or auto (default): by the number of cores
  --timeout S        longest time until all pods are Ready (default 120)
  --idle S           how long the agent is watched at rest, at least 10 (default 20)
  --node-option OPT  one of Node's own options for the agent, such as --node-option=--max-semi-space-size=4; may be repeated
  --cpu-prof DIR     writes a CPU profile of each of the agent's threads there`;

interface Options {
  readonly sizes: readonly number[];
  readonly via: 'folder' | 'api';
  readonly kubeconfig: string | undefined;
  readonly contentType: string | undefined;
  readonly output: 'json' | 'markdown' | 'text';
  readonly program: 'built' | 'sources';
  readonly profile: string;
  readonly timeoutMs: number;
  readonly idleMs: number;
  readonly nodeOptions: readonly string[];
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      pods: { type: 'string' },
      all: { type: 'boolean', default: false },
      via: { type: 'string', default: 'folder' },
      kubeconfig: { type: 'string' },
      'content-type': { type: 'string' },
      json: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      sources: { type: 'boolean', default: false },
      profile: { type: 'string', default: 'auto' },
      timeout: { type: 'string', default: '120' },
      idle: { type: 'string', default: '20' },
      'node-option': { type: 'string', multiple: true, default: [] },
      'cpu-prof': { type: 'string' },
    },
  });
  if (values.all === (values.pods !== undefined)) throw new Error(USAGE);
  const { via, kubeconfig } = values;
  if ((via !== 'folder' && via !== 'api') || (kubeconfig !== undefined && via !== 'api')) throw new Error(USAGE);
  const profiles = values['cpu-prof'];
  return {
    via,
    kubeconfig,
    contentType: values['content-type'],
    sizes: values.all ? ALL_SIZES[via] : [atLeast(1, '--pods', values.pods)],
    output: values.json ? 'json' : values.markdown ? 'markdown' : 'text',
    program: values.sources ? 'sources' : 'built',
    profile: values.profile,
    timeoutMs: atLeast(1, '--timeout', values.timeout) * 1_000,
    idleMs: atLeast(10, '--idle', values.idle) * 1_000,
    nodeOptions: [
      ...values['node-option'],
      ...(profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]),
    ],
  };
}

function atLeast(least: number, option: string, text: string | undefined): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(`${option} takes a whole number, at least ${least}, not ${text}\n${USAGE}`);
}

const circumstances = (): Circumstances => ({
  date: new Date(systemClock.now()).toISOString().slice(0, 10),
  command: ['npm run -s bench -- density', ...process.argv.slice(2)].join(' '),
  machine: `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`,
});

/** Rejects at the first Ctrl-C, so that everything that was started is ended in order. */
function interruption(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => reject(new Error(`ended by ${signal}`)));
  return promise;
}

async function measure(options: Options): Promise<readonly DensityFigures[]> {
  const script = programScript(options.program);
  const interrupted = interruption();
  const runs: DensityFigures[] = [];
  for (const pods of options.sizes) {
    process.stderr.write(`${pods} pods …\n`);
    const run = { ...options, script, pods, interrupted };
    const agent = options.via === 'api' ? await measureApiAgent(run) : await measureAgent(run);
    const floor = await measureFloor({ script, pods, interrupted, via: options.via });
    runs.push({ ...agent, floorCpuMsPerPod: floor.cpuMs / pods });
  }
  return runs;
}

function report(runs: readonly DensityFigures[], output: Options['output']): string {
  switch (output) {
    case 'json':
      return runs.map((run) => `${asJsonLine(run)}\n`).join('');
    case 'markdown':
      return asMarkdown(runs, circumstances());
    case 'text':
      return asText(runs);
    default:
      return output satisfies never;
  }
}

try {
  const options = readOptions();
  process.stdout.write(report(await measure(options), options.output));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
