import { messageOf } from '../../kube/text/message-of.ts';

/** The settings of the agent's own process. */
export interface ProcessSettings {
  readonly oomScoreAdj: number;
  readonly maxOpenFiles: number;
}

export interface OwnProcess {
  readonly pid: number;
  /** `undefined` when there is no such file. */
  read(path: string): string | undefined;
  /** Throws the kernel's error. */
  write(path: string, text: string): void;
  /** Runs a program. Resolves with the reason when it failed. Never rejects. */
  run(command: string, args: readonly string[]): Promise<string | undefined>;
}

export const OOM_SCORE_FILE = '/proc/self/oom_score_adj';

/**
 * Sets this process's OOM score and its limit of open files. Returns a warning for each that stays as it was: the agent
 * works all the same.
 */
export async function holdOwnProcess(settings: ProcessSettings, own: OwnProcess): Promise<readonly string[]> {
  const warnings = [oomScoreProblem(settings, own), await openFilesProblem(settings, own)];
  return warnings.filter((warning) => warning !== undefined);
}

function oomScoreProblem({ oomScoreAdj }: ProcessSettings, own: OwnProcess): string | undefined {
  const actual = own.read(OOM_SCORE_FILE)?.trim();
  if (actual === String(oomScoreAdj)) return undefined;
  try {
    own.write(OOM_SCORE_FILE, String(oomScoreAdj));
    return undefined;
  } catch (error) {
    const stays = `the agent's oom_score_adj stays ${actual ?? 'unknown'}`;
    return `${stays}, and should be ${oomScoreAdj} (oomScoreAdj): ${messageOf(error)}`;
  }
}

/** Node cannot set a limit of its own process, so the program `prlimit` of util-linux sets it. */
async function openFilesProblem({ maxOpenFiles }: ProcessSettings, own: OwnProcess): Promise<string | undefined> {
  const limits = openFilesIn(own.read('/proc/self/limits') ?? '');
  if (limits?.soft === String(maxOpenFiles) && limits.hard === limits.soft) return undefined;
  const args = ['--pid', String(own.pid), `--nofile=${maxOpenFiles}:${maxOpenFiles}`];
  const problem = await own.run('prlimit', args);
  if (problem === undefined) return undefined;
  const stays = `the agent's limit of open files stays ${limits?.hard ?? 'unknown'}`;
  return `${stays}, and should be ${maxOpenFiles} (maxOpenFiles): prlimit ${problem}`;
}

/** Returns the limits of open files in `/proc/<pid>/limits`. Each is a number or `unlimited`. */
export function openFilesIn(limits: string): { readonly soft: string; readonly hard: string } | undefined {
  const [, soft, hard] = /^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)\s/m.exec(limits) ?? [];
  return soft === undefined || hard === undefined ? undefined : { soft, hard };
}
