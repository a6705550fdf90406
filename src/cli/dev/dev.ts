import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { parseGoDuration } from '../../kube/text/go-duration.ts';
import { packageRoot } from '../../package-root.ts';
import type { Program } from '../program-context.ts';
import { UserError } from '../user-error.ts';
import { messageOf } from '../../kube/text/message-of.ts';

interface DevOptions {
  readonly containerRuntimeEndpoint?: string;
  readonly rootDir?: string;
  readonly dataDir?: string;
  readonly pods?: string;
  readonly exitWhenReady?: true;
  readonly timeout: number;
  readonly v: number;
  readonly enableFaultInjection?: true;
}

/** `hivelet dev`: everything on this machine, with nothing else installed. */
export function devCommand(program: Program): Command {
  return new Command('dev')
    .summary('run example pods on this machine, with nothing else installed')
    .description(
      "Runs the pods of a folder on this machine's CRI runtime, or without one on the embedded runtime, which simulates " +
        'containers. Shows the pods until Ctrl-C, which stops them. The node belongs to a cluster of its own: an embedded API ' +
        'server, with a kubeconfig for kubectl. This is not a control plane: it has no controllers and no policy except roles, and its ' +
        'objects are lost when it ends.',
    )
    .option('--pods <folder>', 'folder of manifests to run; by default the examples that come with hivelet')
    .option('--container-runtime-endpoint <socket>', 'the CRI runtime to use; no other is tried')
    .option('--data-dir <folder>', 'folder in which the API server keeps its objects from run to run')
    .option('--root-dir <folder>', 'where the agent keeps its state; by default a new temporary folder')
    .option(
      '--exit-when-ready',
      'stop the pods and exit with 0 once all are ready, or with 1 and the reasons after --timeout',
    )
    .option('--timeout <duration>', 'how long --exit-when-ready waits, such as 90s or 2m', duration, 60_000)
    .option('-v, --v <n>', 'log verbosity; 4 and more for debugging', wholeNumber, 2)
    .option('--enable-fault-injection', 'allow `hivelet fault` to make parts of the agent fail')
    .action(async (options: DevOptions) => {
      const podsDir = resolve(options.pods ?? join(packageRoot(), 'examples'));
      const manifests = countManifests(podsDir);
      const rootDir = makeRootDir(options.rootDir);
      const { runDev } = await import('./run-dev.ts');
      const request = {
        podsDir,
        manifests,
        rootDir,
        dataDir: options.dataDir === undefined ? undefined : resolve(options.dataDir),
        isTemporary: options.rootDir === undefined,
        runtimeEndpoint: options.containerRuntimeEndpoint,
        readyWithinMs: options.exitWhenReady === true ? options.timeout : undefined,
        verbosity: options.v,
        faultInjection: options.enableFaultInjection === true,
      };
      program.leave(await runDev(request, program));
    });
}

function duration(text: string): number {
  const milliseconds = parseGoDuration(text);
  if (milliseconds === undefined || milliseconds <= 0)
    throw new UserError(`--timeout takes a duration such as 90s or 2m, not ${text}`);
  return milliseconds;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new UserError(`--v takes a whole number, not ${text}`);
  return Number(text);
}

/** Returns how many files the agent will read there. As in the kubelet, names with a leading dot are skipped. */
function countManifests(folder: string): number {
  let count: number;
  try {
    count = readdirSync(folder, { withFileTypes: true }).filter(
      (entry) => !entry.isDirectory() && !entry.name.startsWith('.'),
    ).length;
  } catch (error) {
    throw new UserError(`cannot read --pods ${folder}: ${messageOf(error)}`);
  }
  if (count === 0) throw new UserError(`--pods ${folder} contains no manifests`);
  return count;
}

function makeRootDir(asked: string | undefined): string {
  if (asked === undefined) return mkdtempSync(join(tmpdir(), 'hivelet-dev-'));
  const folder = resolve(asked);
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UserError(`cannot create --root-dir ${folder}: ${messageOf(error)}`);
  }
  return folder;
}
