import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Profile } from '../../../src/agent/settings.ts';
import { waitUntil } from '../containerd/wait-until.ts';
import { deviations } from './as-specified.ts';
import { chaosPlan, type ChaosSize } from './chaos-plan.ts';
import { GRACE_SECONDS } from './chaos-pods.ts';
import { ChaosRun } from './chaos-run.ts';
import { NOTHING, thingsOfPods } from './leftovers-of-pods.ts';
import { NodeUnderTest } from './node-under-test.ts';
import type { RuntimeKind } from './runtime-under-test.ts';
import { InvariantWatch } from './watch-invariants.ts';

const AFTERLIFE_MS = (GRACE_SECONDS + 15) * 1_000;
/** A worker that has crashed too often is tried again a minute later; a container that has, even later. */
const SETTLED_WITHIN_MS = 180_000;
const ALL_THERE_WITHIN_MS = 90_000;
const MOST_TOLD = 20;

export const SUITE_TIMEOUT_MS = 480_000;

/** HIVELET_SEED repeats a run as far as the machine does. */
const seedOfRun = (): number => Number(process.env['HIVELET_SEED'] ?? new Date().getTime() % 1_000_000);

const profileOfRun = (): Profile => (process.env['HIVELET_PROFILE'] === 'compact' ? 'compact' : 'standard');

/**
 * The tests of a suite: many faults are injected, and no invariant breaks. `seed`: of a plan that is always the same;
 * else each run has another, or the one that HIVELET_SEED says. `profile`: as HIVELET_PROFILE says, by default.
 */
export function chaosSuite(
  kind: RuntimeKind,
  {
    seed = seedOfRun(),
    profile = profileOfRun(),
    ...size
  }: Omit<ChaosSize, 'seed' | 'profile'> & { seed?: number; profile?: Profile },
): void {
  let node: NodeUnderTest;
  let watch: InvariantWatch;
  let run: ChaosRun;
  const say = (text: string): void =>
    void process.stdout.write(`chaos on ${kind}, ${profile}, seed ${seed}: ${text}\n`);

  beforeAll(async () => {
    node = await NodeUnderTest.prepare(kind);
    // A lost call is given up after this; by default after two minutes.
    await node.folder.configure({ runtimeRequestTimeout: '10s' });
    run = new ChaosRun(node, size.pods);
    await run.fill();
    await node.startAgent({ launcher: 'yes', verbosity: 0, profile });
    await untilAsSpecified(ALL_THERE_WITHIN_MS);
    watch = new InvariantWatch(node.runtime.cri, AFTERLIFE_MS);
  }, 180_000);
  afterAll(async () => {
    await watch?.end();
    await node?.stop();
  }, 120_000);

  const untilAsSpecified = async (withinMs: number): Promise<void> => {
    let last: readonly string[] = [];
    const settled = async (): Promise<boolean> => {
      last = await deviations(node, run.wanted).catch((reason: unknown) => [String(reason)]);
      return last.length === 0;
    };
    await waitUntil(settled, { what: 'all is as specified', withinMs, everyMs: 500 }).catch(async (reason: unknown) => {
      const told = [...last.slice(0, MOST_TOLD), ...(await unread()).slice(0, MOST_TOLD)].join('\n');
      throw new Error(`seed ${seed}: ${String(reason)}: ${last.length} deviations\n${told}`);
    });
  };

  /** Names the actors with unread messages, in words: often the reason for a pod's state. */
  const unread = async (): Promise<readonly string[]> => {
    const threads = await node.admin.threads().catch(() => []);
    return threads.flatMap(({ thread, actors }) =>
      Object.entries(actors).flatMap(([actor, { depth, handled }]) =>
        depth === 0 ? [] : [`${actor} on ${thread} has ${depth} messages unread, and has read ${handled}`],
      ),
    );
  };

  it(`holds through ${size.faults} faults to ${size.pods} pods, and every pod ends as specified`, async () => {
    say(`${size.faults} faults within ${size.lengthMs / 1_000} s`);
    const began = performance.now();
    await run.play(chaosPlan({ seed, profile, ...size }), watch);
    const playedMs = performance.now() - began;
    await waitUntil(() => cleared(), { what: 'all plans are cleared', withinMs: 60_000, everyMs: 200 });
    say(
      `${run.faults} faults done in ${Math.round(playedMs)} ms: ${JSON.stringify(run.done)}, asked again ${run.askedAgain}`,
    );
    expect(run.faults).toBe(size.faults);
    await untilAsSpecified(SETTLED_WITHIN_MS);
    say(`as specified ${Math.round(performance.now() - began - playedMs)} ms later; ${await toldByLog()}`);
  });

  it('leaves nothing behind once the manifests are gone', async () => {
    await run.empty(watch);
    const left = () => thingsOfPods(node, []).catch(() => undefined);
    await expect.poll(left, { timeout: 60_000, interval: 500 }).toEqual(NOTHING);
  });

  it('broke no invariant at any moment that was looked at', async () => {
    const { breaches, ...figures } = await watch.end();
    say(JSON.stringify(figures));
    expect(breaches).toEqual([]);
    expect(figures.looks).toBeGreaterThan(size.lengthMs / 1_000);
  });

  const cleared = (): Promise<boolean> =>
    node.admin.clearFaults(undefined).then(
      () => true,
      () => false,
    );

  /** Returns what the runtime cannot show: how deep the faults went. */
  async function toldByLog(): Promise<string> {
    const log = await node.folder.log();
    const count = (what: string): number => log.filter(({ msg }) => msg.startsWith(what)).length;
    return (
      `${count('crashed')} crashes of actors and threads, ${count('thread ended;')} threads ended, ` +
      `${count('agent failed')} agents gave up, ${count('agent process ended')} processes started again`
    );
  }
}
