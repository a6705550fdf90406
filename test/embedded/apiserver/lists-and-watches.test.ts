import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../../src/embedded/apiserver/store/api-object.ts';
import type { ApiUnderTest } from './api-under-test.ts';
import { aPod, apiUnderTest, done, podsOf, refusal, watched } from './api-under-test.ts';

interface List {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly ApiObject[];
}

const list = async ({ api }: ApiUnderTest, path: string): Promise<List> =>
  (await done(api.get(path))) as unknown as List;
const names = ({ items }: List): readonly string[] => items.map(({ metadata }) => metadata.name);

async function withPods(...pods: readonly object[]): Promise<ApiUnderTest> {
  const under = apiUnderTest();
  for (const pod of pods) await done(under.api.create(podsOf(), pod));
  return under;
}

const label = (under: ApiUnderTest, name: string, labels: object) =>
  done(under.api.patch(`${podsOf()}/${name}`, { type: 'merge', body: { metadata: { labels } } }));

describe('a list', () => {
  it('has the list kind, and its items omit their kind', async () => {
    const under = await withPods(aPod('b'), aPod('a'));
    const all = await list(under, podsOf());
    expect(all).toMatchObject({ kind: 'PodList', apiVersion: 'v1' });
    expect(names(all)).toEqual(['a', 'b']);
    expect(all.items[0]).not.toHaveProperty('kind');
  });

  it.each([
    ['labelSelector=app%3Dweb', ['one', 'two']],
    ['labelSelector=app%3Dweb%2Ctier%21%3Dback', ['one']],
    ['labelSelector=tier%20in%20%28back%2Cfront%29', ['two']],
    ['labelSelector=tier%20notin%20%28back%29', ['one', 'three']],
    ['labelSelector=tier', ['two']],
    ['labelSelector=%21app', ['three']],
    ['fieldSelector=spec.nodeName%3Dn1', ['one']],
    ['fieldSelector=spec.nodeName%21%3Dn1', ['three', 'two']],
    ['fieldSelector=metadata.name%3Dtwo', ['two']],
    ['fieldSelector=status.phase%3DPending%2Cspec.restartPolicy%3DNever', ['three']],
  ])('selects by %s', async (query, expected) => {
    const under = await withPods(
      aPod('one', { metadata: { labels: { app: 'web' } }, spec: { nodeName: 'n1' } }),
      aPod('two', { metadata: { labels: { app: 'web', tier: 'back' } }, spec: { nodeName: 'n2' } }),
      aPod('three', { spec: { restartPolicy: 'Never' } }),
    );
    expect(names(await list(under, `${podsOf()}?${query}`))).toEqual(expected);
  });

  it('rejects a field that is not selectable', async () => {
    const { api } = apiUnderTest();
    expect(await refusal(api.get(`${podsOf()}?fieldSelector=spec.foo%3D1`))).toMatch(
      /^400 BadRequest: .*field label not supported: spec.foo/,
    );
  });

  it('comes in pages, all as of the revision of the first page', async () => {
    const under = await withPods(...['a', 'b', 'c', 'd', 'e'].map((name) => aPod(name)));
    const first = await list(under, '/api/v1/pods?limit=2');
    expect(names(first)).toEqual(['a', 'b']);
    expect(first.metadata.remainingItemCount).toBe(3);
    await label(under, 'e', { late: 'yes' });
    const second = await list(under, `/api/v1/pods?limit=2&continue=${first.metadata.continue}`);
    const third = await list(under, `/api/v1/pods?limit=2&continue=${second.metadata.continue}`);
    expect([names(second), names(third)]).toEqual([['c', 'd'], ['e']]);
    expect(third.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  it('rejects a continue token whose history is compacted', async () => {
    const under = await withPods(aPod('a'), aPod('b'));
    const first = await list(under, '/api/v1/pods?limit=1');
    await label(under, 'b', { x: 'y' });
    under.core.store.compact();
    expect(await refusal(under.api.get(`/api/v1/pods?limit=1&continue=${first.metadata.continue}`))).toMatch(
      /^410 Expired: The provided continue parameter is too old/,
    );
  });
});

describe('a watch', () => {
  it('without a revision sends the existing objects, then new events', async () => {
    const under = await withPods(aPod('a'));
    const watch = watched(under, podsOf());
    expect(await watch.seen()).toEqual(['ADDED a']);
    await done(under.api.create(podsOf(), aPod('b')));
    await label(under, 'a', { x: 'y' });
    await done(under.api.delete(`${podsOf()}/b`, {}));
    expect(await watch.seen()).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'MODIFIED b', 'DELETED b']);
  });

  it('from a revision sends the events since then', async () => {
    const under = await withPods(aPod('a'));
    const { metadata } = await list(under, podsOf());
    await label(under, 'a', { x: 'y' });
    const watch = watched(under, `${podsOf()}?resourceVersion=${metadata.resourceVersion}`);
    expect(await watch.seen()).toEqual(['MODIFIED a']);
  });

  it('sees objects enter and leave its selection', async () => {
    const under = await withPods(aPod('a'));
    const watch = watched(under, `${podsOf()}?labelSelector=x%3Dy`);
    await label(under, 'a', { x: 'y' });
    await label(under, 'a', { x: 'y', more: 'z' });
    await label(under, 'a', { x: 'n' });
    await label(under, 'a', { x: 'm' });
    expect(await watch.seen()).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a']);
    expect(watch.events[2]?.object).toMatchObject({ metadata: { labels: { x: 'y', more: 'z' } } });
  });

  it('with sendInitialEvents marks the end of the existing objects', async () => {
    const under = await withPods(aPod('a'), aPod('b'));
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const watch = watched(under, `${podsOf()}?${query}`);
    expect(await watch.seen()).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK -']);
    expect(watch.events[2]?.object).toMatchObject({
      kind: 'Pod',
      metadata: {
        resourceVersion: String(under.core.store.revision),
        annotations: { 'k8s.io/initial-events-end': 'true' },
      },
    });
  });

  it('sends a bookmark every minute on request, and one at its end', async () => {
    const under = await withPods(aPod('a'));
    const watch = watched(under, `${podsOf()}?allowWatchBookmarks=true&timeoutSeconds=90&resourceVersion=1`);
    const without = watched(under, `${podsOf()}?timeoutSeconds=90&resourceVersion=1`);
    await under.clock.advanceAndSettle(60_000);
    expect(await watch.seen()).toEqual(['ADDED a', 'BOOKMARK -']);
    await under.clock.advanceAndSettle(30_000);
    expect(await watch.seen()).toEqual(['ADDED a', 'BOOKMARK -', 'BOOKMARK -']);
    expect(await without.seen()).toEqual(['ADDED a']);
    expect([watch.ended(), without.ended()]).toEqual([true, true]);
    expect(under.clock.armed).toBe(0);
  });

  it('leaves no resources behind when the client stops the watch', async () => {
    const under = apiUnderTest();
    const watch = watched(under, `${podsOf()}?allowWatchBookmarks=true`);
    watch.stop();
    await done(under.api.create(podsOf(), aPod('a')));
    expect(await watch.seen()).toEqual([]);
    expect(under.clock.armed).toBe(0);
  });

  it('from a compacted revision is expired', async () => {
    const under = apiUnderTest({ historyLength: 2 });
    await done(under.api.create(podsOf(), aPod('a')));
    for (const x of ['1', '2', '3', '4', '5', '6']) await label(under, 'a', { x });
    const watch = watched(under, `${podsOf()}?resourceVersion=2`);
    await watch.seen();
    expect(watch.events).toMatchObject([{ type: 'ERROR', object: { code: 410, reason: 'Expired' } }]);
  });

  it('that falls behind the history ends with an expired error', async () => {
    const under = await withPods(aPod('a'));
    const watch = watched(under, podsOf());
    await watch.seen();
    under.core.store.collection('pods').compact(Number.MAX_SAFE_INTEGER);
    await label(under, 'a', { x: 'y' });
    await watch.seen();
    expect(watch.events.at(-1)).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410 } });
    expect(watch.ended()).toBe(true);
  });

  it('from a future revision is rejected', async () => {
    const under = apiUnderTest();
    const watch = watched(under, `${podsOf()}?resourceVersion=999999`);
    await watch.seen();
    expect(watch.events).toMatchObject([{ object: { code: 504, reason: 'Timeout' } }]);
  });
});
