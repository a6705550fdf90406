import { fork, type ChildProcess } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../src/actor/random.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import { CsiDriver } from '../support/csi-driver.ts';
import { mountsBelow } from '../volumes/temporary-root.ts';
import { DRIVER, filesOf, MOUNTS_OF_A_POD, textOf } from './volumes-of-a-pod.ts';
import type { Granted, Wish } from './volume-process.ts';
import type { Seen } from './watching-process.ts';

export interface KillFigures {
  readonly runs: number;
  /** The number of deaths during set-up, update and removal, and the number of runs that finished before. */
  readonly died: Readonly<Record<Step, number>>;
  readonly tooLate: number;
  /** The calls at which the process died, with counts. */
  readonly calls: Readonly<Record<string, number>>;
  readonly reads: number;
  readonly overtaken: number;
  readonly slowestRecoveryMs: number;
  readonly problems: readonly string[];
}

type Step = 'set-up' | 'update' | 'take-away';

const RECOVERED_WITHIN_MS = 60_000;
const PODS_AT_MOST = 3;
/** The assumed number of calls of a step before the first measurement. */
const CALLS_AT_FIRST = 60;

interface World {
  generation: number;
  wanted: string[];
  unwanted: string[];
}

/** A process that sets up volumes. Its last output before its death is the place. */
class VolumeProcess {
  readonly #child: ChildProcess;
  #said = '';

  constructor(rootDir: string) {
    const preload = new URL('./die-at-call.ts', import.meta.url).href;
    this.#child = fork(join(import.meta.dirname, 'volume-process.ts'), [rootDir], {
      execArgv: ['--import', preload],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.#said += chunk.toString()));
  }

  async started(): Promise<void> {
    if ((await this.#next()) === undefined) throw new Error(`the process did not start: ${this.#said}`);
  }

  /** `undefined` when the process died. */
  async grant(wish: Wish): Promise<Granted | undefined> {
    this.#child.send(wish);
    return (await this.#next()) as Granted | undefined;
  }

  get diedAt(): string | undefined {
    return /died at (.*)\n/.exec(this.#said)?.[1];
  }

  get said(): string {
    return this.#said;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = new Promise((resolve) => void this.#child.once('close', resolve));
    this.#child.kill('SIGKILL');
    await closed;
  }

  #next(): Promise<unknown> {
    return new Promise((resolve) => {
      this.#child.once('message', resolve);
      this.#child.once('close', () => resolve(undefined));
    });
  }
}

/** Kills and restarts a process that sets up volumes `runs` times, each time at a seeded point. */
export async function killedRuns(
  rootDir: string,
  { runs, seed, say }: { readonly runs: number; readonly seed: number; readonly say: (line: string) => void },
): Promise<KillFigures> {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const died: Record<Step, number> = { 'set-up': 0, update: 0, 'take-away': 0 };
  const callsOf: Record<Step, number> = {
    'set-up': CALLS_AT_FIRST,
    update: CALLS_AT_FIRST,
    'take-away': CALLS_AT_FIRST,
  };
  const calls: Record<string, number> = {};
  const problems: string[] = [];
  const world: World = { generation: 1, wanted: [], unwanted: [] };
  let tooLate = 0;
  let slowestRecoveryMs = 0;
  let pods = 0;

  for (const name of ['local', 'disks', 'plugins_registry', 'pods']) mkdirSync(join(rootDir, name));
  const driver = new CsiDriver(DRIVER, join(rootDir, 'disks'));
  await driver.start(join(rootDir, 'plugins_registry'));
  const watcher = fork(join(import.meta.dirname, 'watching-process.ts'), [rootDir]);
  const tellWatcher = (leaving: readonly string[]): Promise<Seen> =>
    new Promise((resolve) => {
      watcher.once('message', (seen) => resolve(seen as Seen));
      watcher.send({ leaving });
    });
  let seen: Seen = { reads: 0, overtaken: 0, torn: [] };

  async function change(step: Step): Promise<void> {
    if (step === 'update') world.generation += 1;
    if (step === 'set-up') world.wanted.push(`pod-${(pods += 1)}`);
    if (step === 'take-away') world.unwanted.push(...world.wanted.splice(below(world.wanted.length), 1));
    seen = await tellWatcher(world.unwanted);
  }

  const wish = (at: { readonly dieAt: number; readonly dieWhen: number }): Wish => ({ ...world, ...at });

  /** Checks that a process without a kill reaches the wanted state. */
  async function recover(run: number, by: VolumeProcess): Promise<void> {
    const begun = performance.now();
    const found: string[] = [];
    const granted = await by.grant(wish({ dieAt: 0, dieWhen: 0 }));
    if (granted === undefined) found.push(`the process that came after it died, too: ${by.said}`);
    else found.push(...granted.problems);
    // The driver's volumes are unstaged from the node gradually.
    const isClean = async (): Promise<boolean> => differences(rootDir, world).length === 0;
    await waitUntil(isClean, { what: 'the node to be as it should', withinMs: RECOVERED_WITHIN_MS, everyMs: 20 }).catch(
      () => undefined,
    );
    found.push(...differences(rootDir, world));
    slowestRecoveryMs = Math.max(slowestRecoveryMs, performance.now() - begun);
    seen = await tellWatcher(world.unwanted);
    world.unwanted = [];
    problems.push(...found.map((problem) => `run ${run}: ${problem}`));
  }

  let process = new VolumeProcess(rootDir);
  try {
    await process.started();
    for (let run = 1; run <= runs && problems.length === 0; run += 1) {
      const step = nextStep(world, random());
      await change(step);
      const dieWhen = below(3);
      const dieAt = 1 + below(callsOf[step]);
      const granted = await process.grant(wish({ dieAt, dieWhen }));
      if (granted === undefined) {
        died[step] += 1;
        const where = process.diedAt ?? 'nobody knows which';
        calls[where] = (calls[where] ?? 0) + 1;
        callsOf[step] = Math.max(callsOf[step], dieAt + 1);
      } else {
        tooLate += 1;
        callsOf[step] = granted.calls;
        await process.kill();
      }
      process = new VolumeProcess(rootDir);
      await process.started();
      await recover(run, process);
      if (run % 20 === 0) say(`${run} runs, ${seen.reads} reads`);
    }
    await change('take-away');
    world.unwanted.push(...world.wanted.splice(0));
    seen = await tellWatcher(world.unwanted);
    await recover(runs + 1, process);
    const left = mountsBelow(realpathSync(rootDir));
    if (left.length > 0) problems.push(`left mounted: ${left.join(', ')}`);
  } finally {
    await process.kill();
    watcher.disconnect();
    driver.stop();
  }
  problems.push(...seen.torn.map((torn) => `torn: ${torn}`));
  const { reads, overtaken } = seen;
  return { runs, died, tooLate, calls, reads, overtaken, slowestRecoveryMs: Math.round(slowestRecoveryMs), problems };
}

function nextStep({ wanted }: World, chance: number): Step {
  if (wanted.length === 0) return 'set-up';
  if (wanted.length >= PODS_AT_MOST) return chance < 0.6 ? 'update' : 'take-away';
  if (chance < 0.4) return 'update';
  return chance < 0.7 ? 'set-up' : 'take-away';
}

const FILES: readonly (readonly [string, string])[] = [
  ['kubernetes.io~configmap', 'config'],
  ['kubernetes.io~secret', 'secret'],
  ['kubernetes.io~downward-api', 'self'],
  ['kubernetes.io~projected', 'all'],
];

/** Returns the problems: wrong content, wrong mounts, and remains of removed pods. */
function differences(rootDir: string, { generation, wanted, unwanted }: World): readonly string[] {
  const found: string[] = [];
  const mounts = mountsBelow(realpathSync(rootDir));
  for (const uid of wanted) {
    const dir = join(rootDir, 'pods', uid);
    const own = mounts.filter((path) => path.includes(`/pods/${uid}/`));
    if (own.length !== MOUNTS_OF_A_POD || new Set(own).size !== own.length) found.push(`${uid} has ${own.join(', ')}`);
    for (const [kind, name] of FILES) {
      const volume = join(dir, 'volumes', kind, name);
      try {
        const names = readdirSync(volume);
        const files = readdirSync(join(volume, '..data'), { recursive: true, withFileTypes: true });
        const count = files.filter((entry) => entry.isFile()).length;
        if (count !== filesOf(kind, generation)) found.push(`${volume} has ${count} files`);
        if (names.filter((each) => each.startsWith('..')).length !== 2) found.push(`${volume}: ${names.join(' ')}`);
        const text = readFileSync(join(volume, 'generation'), 'utf8');
        if (text !== textOf(generation)) found.push(`${volume} is not of generation ${generation}`);
      } catch (error) {
        found.push(String(error));
      }
    }
  }
  for (const uid of unwanted) {
    const left = mounts.filter((path) => path.includes(`/pods/${uid}/`));
    if (left.length > 0) found.push(`${uid} has left ${left.join(', ')} mounted`);
    for (const entry of list(join(rootDir, 'pods', uid))) {
      const inside = list(join(rootDir, 'pods', uid, entry));
      if (inside.length > 0 || entry !== 'plugins') found.push(`${uid} has left ${entry}: ${inside.join(', ')}`);
    }
  }
  const staged = mounts.filter((path) => path.includes('/plugins/'));
  if (staged.length !== (wanted.length > 0 ? 1 : 0)) found.push(`staged: ${staged.join(', ')}`);
  return found;
}

function list(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
