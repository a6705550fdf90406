import { fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seededRandom } from '../../src/actor/random.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import type { Seen } from '../volume-kills/watching-process.ts';
import { FOLLOWERS, MOUNTS_OF_A_POD } from './every-volume.ts';
import { VolumeNode } from './volume-node.ts';

const SEED = Number(process.env['HIVELET_SEED'] ?? process.hrtime.bigint() % 1_000_000n);
const RUNS = Number(process.env['HIVELET_VOLUME_KILLS'] ?? 40);
/** The machine may be busy: only a state that is never reached is a failure. */
const RIGHT_WITHIN_MS = 120_000;
/** A starting agent may be slow on a busy machine, and its work may be done before it is seen. */
const SEEN_AT_WORK_WITHIN_MS = 6_000;
const PODS_AT_MOST = 3;
/** The most kills in a row before a check: they hit an agent that is starting or recovering. */
const UNLOOKED_AT_MOST = 2;
/** The processes and threads that are killed, beside the agent. */
const ACTORS = ['volume-manager', 'csi-manager', 'job-pool', 'object-cache'] as const;

describeOnRuntimes(
  'the volumes of an agent that is killed while it makes, renews and removes them',
  ['containerd'],
  (kind) => {
    const random = seededRandom(SEED);
    const below = (limit: number): number => Math.floor(random() * limit);
    /** The work that the agent was doing when it was killed, as seen on the disk. */
    const killedIn: Record<string, number> = {};
    let node: VolumeNode;
    let watcher: ReturnType<typeof fork>;
    let crashes = 0;

    const tellWatcher = (): Promise<Seen> =>
      new Promise((resolve) => {
        watcher.once('message', (seen) => resolve(seen as Seen));
        watcher.send({ leaving: [...node.unwanted] });
      });

    beforeAll(async () => {
      process.stderr.write(`volume kills: seed ${SEED}, ${RUNS} runs\n`);
      node = await VolumeNode.start(kind);
      const rules = import.meta.resolve('./every-volume.ts');
      watcher = fork(`${import.meta.dirname}/../volume-kills/watching-process.ts`, [node.rootDir, rules]);
    }, 150_000);
    afterAll(async () => {
      watcher?.disconnect();
      await node?.stop();
    }, 150_000);

    /** The agent's progress, as seen on the disk: 0 to `of`. */
    interface Under {
      readonly what: string;
      readonly of: number;
      readonly done: () => number;
    }

    /** Creates, updates or removes a pod. */
    async function change(run: number): Promise<Under> {
      const chance = random();
      if (node.wanted.size === 0 || (node.wanted.size < PODS_AT_MOST && chance < 0.35)) {
        const uid = await node.createPod(`pod-${run}`);
        return { what: 'set-up', of: MOUNTS_OF_A_POD, done: () => node.mountsOf(uid).length };
      }
      if (chance < 0.7) {
        await node.renew();
        const of = node.wanted.size * FOLLOWERS.length;
        const done = (): number => [...node.wanted.values()].reduce((sum, uid) => sum + node.renewed(uid), 0);
        return { what: 'update', of, done };
      }
      const name = [...node.wanted.keys()][below(node.wanted.size)] ?? '';
      const uid = node.wanted.get(name) ?? '';
      node.unwanted.add(uid);
      // The reader stops first: a reader in a directory would block its removal.
      await tellWatcher();
      await node.deletePod(name);
      return { what: 'take-away', of: MOUNTS_OF_A_POD, done: () => MOUNTS_OF_A_POD - node.mountsOf(uid).length };
    }

    /** Kills at a random time, or once the agent has made this progress, perhaps a moment later. */
    async function untilTheKill({ done, of }: Under): Promise<void> {
      const begun = performance.now();
      const anyTimeMs = random() * 2_000;
      const aimed = random() < 0.7;
      const soFar = 1 + below(of);
      const momentMs = random() < 0.5 ? 0 : random() * 40;
      if (!aimed) return delay(anyTimeMs);
      while (done() < soFar && performance.now() - begun < SEEN_AT_WORK_WITHIN_MS) await delay(2);
      await delay(momentMs);
    }

    it(
      `are correct after each of ${RUNS} kills: no torn content, no extra mount, no stuck pod`,
      async () => {
        let slowestMs = 0;
        let unlooked = 0;
        for (let run = 1; run <= RUNS; run += 1) {
          const under = await change(run);
          if (random() < 0.3) {
            const actor = ACTORS[below(ACTORS.length)] ?? 'volume-manager';
            await delay(random() * 300);
            // There may be no agent yet: it may be starting.
            if (await node.node.admin.crashActor(actor).catch(() => false)) crashes += 1;
          }
          await untilTheKill(under);
          await node.node.agent.kill();
          const isPart = under.done() > 0 && under.done() < under.of;
          const where = isPart ? `in ${under.what}` : `before or after ${under.what}`;
          killedIn[where] = (killedIn[where] ?? 0) + 1;
          const begun = performance.now();
          node.spawnAgent();
          const looksNow = random() < 0.5 || unlooked === UNLOOKED_AT_MOST || run === RUNS;
          unlooked = looksNow ? 0 : unlooked + 1;
          if (looksNow) {
            await node.untilAnswers(RIGHT_WITHIN_MS);
            await node.untilRight(run, RIGHT_WITHIN_MS);
            slowestMs = Math.max(slowestMs, performance.now() - begun);
          }
          expect((await tellWatcher()).torn, `run ${run}`).toEqual([]);
          for (const uid of node.wanted.values()) {
            const mounts = node.mountsOf(uid);
            expect(new Set(mounts).size, `run ${run}: ${mounts.join()}`).toBe(mounts.length);
          }
          if (run % 10 === 0) process.stderr.write(`${run} runs, slowest recovery ${Math.round(slowestMs)} ms\n`);
        }
        for (const uid of node.wanted.values()) node.unwanted.add(uid);
        await tellWatcher();
        for (const name of node.wanted.keys()) await node.deletePod(name);
        await node.untilRight(RUNS, RIGHT_WITHIN_MS);
        const { reads, overtaken, torn } = await tellWatcher();
        process.stderr.write(
          `${RUNS} kills (${JSON.stringify(killedIn)}), ${crashes} crashes of actors, ${reads} reads, ${overtaken} overtaken, ` +
            `slowest recovery ${Math.round(slowestMs)} ms\n`,
        );
        expect(torn).toEqual([]);
      },
      300_000 + RUNS * RIGHT_WITHIN_MS,
    );
  },
);
