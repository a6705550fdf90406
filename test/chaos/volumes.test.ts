import { fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import { seededRandom } from '../../src/actor/random.ts';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { podCalled, untilGone, untilRunning } from '../support/agent-process/observe-pods.ts';
import { describeOnRuntimes } from '../support/agent-process/runtime-under-test.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import { CsiDriver } from '../support/csi-driver.ts';
import { dataOf, DRIVER, textOf } from '../volume-kills/volumes-of-a-pod.ts';
import type { Seen } from '../volume-kills/watching-process.ts';
import { mountsBelow } from '../volumes/temporary-root.ts';

const SEED = Number(process.env['HIVELET_SEED'] ?? process.hrtime.bigint() % 1_000_000n);
const RUNS = Number(process.env['HIVELET_VOLUME_KILLS'] ?? 40);
const A_RUN_MS = 120_000;
const PODS_AT_MOST = 3;
/** In memory: emptyDir, secret, downwardAPI, projected; of the driver; two parts. */
const MOUNTS_OF_A_POD = 7;

const volumes = [
  { name: 'scratch', emptyDir: {} },
  { name: 'memory', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
  { name: 'host', hostPath: { path: '/etc', type: 'Directory' } },
  { name: 'config', configMap: { name: 'settings' } },
  { name: 'secret', secret: { secretName: 'keys' } },
  { name: 'self', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
  { name: 'all', projected: { sources: [{ configMap: { name: 'settings' } }] } },
  { name: 'disk', csi: { driver: DRIVER } },
];
const mounts = [
  ...volumes.map(({ name }) => ({ name, mountPath: `/${name}` })),
  { name: 'scratch', mountPath: '/part', subPath: 'a/b' },
  { name: 'config', mountPath: '/pinned', subPath: 'generation' },
];

describeOnRuntimes(
  'the volumes of an agent that is killed while it makes, renews and removes them',
  ['containerd'],
  (kind) => {
    let node: NodeUnderTest;
    let driver: CsiDriver;
    let watcher: ReturnType<typeof fork>;
    let generation = 0;

    const tellWatcher = (leaving: readonly string[]): Promise<Seen> =>
      new Promise((resolve) => {
        watcher.once('message', (seen) => resolve(seen as Seen));
        watcher.send({ leaving });
      });
    const renew = async (): Promise<void> => {
      generation += 1;
      const object = (objectKind: string, name: string, content: object) =>
        node.folder.put(
          `${name}.yaml`,
          { apiVersion: 'v1', kind: objectKind, metadata: { name }, ...content },
          node.folder.objects,
        );
      await object('ConfigMap', 'settings', { data: dataOf(generation) });
      await object('Secret', 'keys', { stringData: dataOf(generation) });
    };
    const put = (name: string): Promise<void> => {
      const manifest = podManifest(name, { spec: { volumes } });
      const containers = manifest.spec.containers.map((each) => ({ ...each, volumeMounts: mounts }));
      return node.folder.put(`${name}.yaml`, { ...manifest, spec: { ...manifest.spec, containers } });
    };
    const podUid = async (name: string): Promise<string> => (await podCalled(node.admin, name))?.metadata.uid ?? '';
    const contentOf = (uid: string, kindOfVolume: string, name: string): string => {
      const file = join(node.folder.rootDir, 'pods', uid, 'volumes', kindOfVolume, name, 'generation');
      try {
        return readFileSync(file, 'utf8');
      } catch {
        return '';
      }
    };

    beforeAll(async () => {
      process.stderr.write(`volume kills: seed ${SEED}, ${RUNS} runs\n`);
      node = await NodeUnderTest.prepare(kind);
      driver = new CsiDriver(DRIVER, join(node.folder.rootDir, 'disks'));
      await renew();
      await node.startAgent({ objects: 'folder' });
      await waitUntil(async () => readdirSync(node.folder.rootDir).includes('plugins_registry'), {
        what: 'the folder of plugins',
        withinMs: 20_000,
      });
      await driver.start(join(node.folder.rootDir, 'plugins_registry'));
      // Each of them holds one object, whole.
      const watched = ['configmap|secret|projected', 'kubernetes.io~configmap'];
      watcher = fork(join(import.meta.dirname, '../volume-kills/watching-process.ts'), [
        node.folder.rootDir,
        ...watched,
      ]);
    }, 150_000);
    afterAll(async () => {
      watcher?.disconnect();
      await node?.stop();
      driver?.stop();
    }, 150_000);

    it(
      `are as they should be after each of ${RUNS} kills: no content torn, no mount too many, no pod stuck`,
      async () => {
        const random = seededRandom(SEED);
        const wanted: string[] = [];
        /** Of pods that have gone empty directories may be there for a while yet. */
        const gone: string[] = [];
        let slowestMs = 0;
        for (let run = 1; run <= RUNS; run += 1) {
          let leaving: readonly string[] = [];
          let uids: readonly string[] = [];
          const chance = random();
          if (wanted.length === 0 || (wanted.length < PODS_AT_MOST && chance < 0.35)) {
            wanted.push(`pod-${run}`);
            await put(`pod-${run}`);
          } else if (chance < 0.7) await renew();
          else {
            leaving = wanted.splice(Math.floor(random() * wanted.length), 1);
            uids = await Promise.all(leaving.map(podUid));
            gone.push(...uids);
            await tellWatcher(gone);
            for (const name of leaving) await node.folder.remove(`${name}.yaml`);
          }
          await new Promise<void>((resolve) => void systemClock.after(random() * 1_200, resolve));
          await node.agent.kill();
          const begun = performance.now();
          await node.startAgent({ objects: 'folder' });
          for (const name of leaving) await untilGone(node.admin, name, A_RUN_MS);
          for (const name of wanted) await untilRunning(node.admin, name, A_RUN_MS);
          const present = await Promise.all(wanted.map(podUid));
          const isRight = async (): Promise<boolean> =>
            present.every((uid) =>
              [
                ['kubernetes.io~configmap', 'config'],
                ['kubernetes.io~secret', 'secret'],
                ['kubernetes.io~projected', 'all'],
              ].every(([plugin = '', name = '']) => contentOf(uid, plugin, name) === textOf(generation)),
            );
          await waitUntil(isRight, { what: `the newest content after run ${run}`, withinMs: A_RUN_MS, everyMs: 20 });
          slowestMs = Math.max(slowestMs, performance.now() - begun);
          // A pod whose manifest has gone is not known until it is found in the runtime.
          const isGone = async (): Promise<boolean> =>
            !mountsBelow(node.folder.rootDir).some((path) => uids.some((uid) => path.includes(`/pods/${uid}/`)));
          await waitUntil(isGone, { what: `what pods that have gone had mounted, in run ${run}`, withinMs: A_RUN_MS });
          const found = mountsBelow(node.folder.rootDir);
          for (const uid of present) {
            const own = found.filter((path) => path.includes(`/pods/${uid}/`));
            expect(own, `run ${run}`).toHaveLength(MOUNTS_OF_A_POD);
            expect(new Set(own).size).toBe(own.length);
          }
          expect((await tellWatcher(gone)).torn).toEqual([]);
          if (run % 10 === 0) process.stderr.write(`${run} runs, slowest recovery ${Math.round(slowestMs)} ms\n`);
        }
        gone.push(...(await Promise.all(wanted.map(podUid))));
        await tellWatcher(gone);
        for (const name of wanted) await node.folder.remove(`${name}.yaml`);
        for (const name of wanted) await untilGone(node.admin, name, A_RUN_MS);
        expect(mountsBelow(node.folder.rootDir)).toEqual([]);
        expect(readdirSync(join(node.folder.rootDir, 'pods'))).toEqual([]);
        const { reads, overtaken, torn } = await tellWatcher(gone);
        process.stderr.write(
          `${RUNS} kills, ${reads} reads, ${overtaken} overtaken, slowest recovery ${Math.round(slowestMs)} ms\n`,
        );
        expect(torn).toEqual([]);
      },
      300_000 + RUNS * A_RUN_MS,
    );
  },
);
