import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiOutcome, ApiRequest } from '../../../src/api/api-request.ts';
import { silentLog } from '../../../src/actor/log.ts';
import { seededRandom } from '../../../src/actor/random.ts';
import { Reflector } from '../../../src/api/reflector/reflector.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { ModelApi, type ModelObject } from '../../support/model-api.ts';

type Deliver = (hear: () => void) => void;
const atOnce: Deliver = (hear) => hear();

/** A reflector of a model's objects, and the state of a listener that only received its changes. */
function follow(api: ModelApi, seed = 1, deliver: Deliver = atOnce) {
  const clock = manualClock();
  const known = new Map<string, ModelObject>();
  const troubles: string[] = [];
  const listed: number[] = [];
  const open = new Map<string, () => void>();
  const reflector: Reflector<ModelObject> = new Reflector<ModelObject>({
    name: 'things',
    path: '/api/v1/things',
    project: (object) => object as ModelObject,
    keyOf: ({ metadata }) => metadata.uid,
    changed({ set, gone }) {
      for (const object of gone) known.delete(object.metadata.uid);
      for (const object of set) known.set(object.metadata.uid, object);
    },
    call: (request) => {
      if (!request.path.includes('continue=') && !api.down) listed.push(clock.monotonic());
      return api.call(request);
    },
    openWatch: (watch, path) => {
      const close = api.watch(path, {
        events: (events) => deliver(() => reflector.received({ type: 'watch-events', watch, events })),
        ended: (fault) => reflector.received({ type: 'watch-ended', watch, fault }),
      });
      open.set(watch, close);
    },
    closeWatch: (watch) => open.get(watch)?.(),
    supervise: (work) => void work,
    clock,
    random: seededRandom(seed),
    log: silentLog,
    count: (what) => void troubles.push(what),
  });
  reflector.begin();
  return { reflector, clock, known, troubles, listed, pass: (ms: number) => clock.advanceAndSettle(ms) };
}

/** A server whose pages are too large to read above a number of objects. */
class BulkyApi extends ModelApi {
  readable = 500;
  why: 'unreadable' | 'timed-out' = 'unreadable';
  /** How many objects each page was to have. */
  readonly limits: number[] = [];

  override call(request: Pick<ApiRequest, 'path'>): Promise<ApiOutcome<unknown>> {
    const limit = Number(new URL(request.path, 'http://model').searchParams.get('limit'));
    this.limits.push(limit);
    this.pageSize = limit;
    if (limit <= this.readable) return super.call(request);
    return Promise.resolve({ ok: false, fault: { kind: this.why, message: this.why } });
  }
}

const values = (objects: Iterable<ModelObject>): readonly string[] =>
  [...objects].map(({ metadata, value }) => `${metadata.uid}=${value}`).sort();

type Happening =
  | { readonly type: 'set'; readonly name: string; readonly value: number }
  | { readonly type: 'delete'; readonly name: string }
  | { readonly type: 'bookmark' | 'compact' | 'down' | 'up' }
  | { readonly type: 'break'; readonly how: 'in-order' | 'cut' | 'bad-event' }
  | { readonly type: 'pass'; readonly ms: number };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('set' as const), name, value: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), name }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constantFrom('bookmark', 'compact', 'down', 'up') }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('break' as const), how: fc.constantFrom('in-order', 'cut', 'bad-event') }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('pass' as const), ms: fc.nat(120_000) }) },
);

async function happens(api: ModelApi, what: Happening, pass: (ms: number) => Promise<void>): Promise<void> {
  switch (what.type) {
    case 'set':
      return api.set(what.name, what.value);
    case 'delete':
      return api.delete(what.name);
    case 'bookmark':
      return api.bookmark();
    case 'compact':
      return api.compact();
    case 'down':
      api.down = true;
      return api.breakWatches('cut');
    case 'up':
      api.down = false;
      return;
    case 'break':
      return api.breakWatches(what.how);
    case 'pass':
      return pass(what.ms);
    default:
      return what satisfies never;
  }
}

describe('a reflector', () => {
  it("finally has the server's objects, and so does a listener to its changes, after any interruptions", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { maxLength: 40 }),
        fc.constantFrom('offers', 'refuses', 'refuses-in-stream'),
        fc.nat(),
        async (history, initialEvents, seed) => {
          const api = new ModelApi();
          api.initialEvents = initialEvents;
          const { reflector, known, pass } = follow(api, seed);
          await pass(10);
          for (const what of history) await happens(api, what, pass);
          api.down = false;
          await pass(200_000);
          expect(values(reflector.objects())).toEqual(values(api.objects.values()));
          expect(values(known.values())).toEqual(values(api.objects.values()));
          expect(reflector.complete).toBe(true);
          expect(api.openWatches).toBe(1);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('lists the objects at once if the server accepts a streamed list and rejects it in the stream', async () => {
    const api = new ModelApi();
    api.initialEvents = 'refuses-in-stream';
    api.set('a', 1);
    const { known, troubles, pass } = follow(api);
    await pass(10);
    expect(values(known.values())).toEqual(values(api.objects.values()));
    expect(troubles).toEqual(['stream-refused']);
  });

  it('pauses between two lists', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 40 }), fc.nat(), async (history, seed) => {
        const api = new ModelApi();
        const { listed, pass } = follow(api, seed);
        await pass(10);
        for (const what of history) await happens(api, what, pass);
        // If pages expire half-way, the list starts again: that is another list, with the delay of a failure.
        const gaps = listed.slice(1).map((at, index) => at - (listed[index] ?? 0));
        expect(gaps.filter((gap) => gap < 800)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it("does not list after an outage of ten minutes within the server's history", async () => {
    const api = new ModelApi();
    api.set('a', 1);
    const { listed, known, pass } = follow(api);
    await pass(10);
    api.down = true;
    api.breakWatches('cut');
    await pass(600_000);
    api.set('a', 2);
    api.set('b', 1);
    api.down = false;
    await pass(61_000);
    expect(listed).toHaveLength(1);
    expect(values(known.values()).map((text) => text.at(-1))).toEqual(['2', '1']);
  });

  it("lists once after an outage beyond the server's history", async () => {
    const api = new ModelApi();
    api.set('a', 1);
    const { listed, known, troubles, pass } = follow(api);
    await pass(10);
    api.down = true;
    api.breakWatches('cut');
    await pass(600_000);
    api.delete('a');
    api.set('b', 1);
    api.compact();
    api.down = false;
    await pass(61_000);
    expect(listed).toHaveLength(2);
    expect(troubles).toContain('expired');
    expect(values(known.values()).map((text) => text.at(0))).toEqual(['b']);
  });

  it('continues within a second after a notice that the server is back', async () => {
    const api = new ModelApi();
    const { reflector, pass } = follow(api);
    await pass(10);
    api.down = true;
    api.breakWatches('cut');
    await pass(600_000);
    api.down = false;
    reflector.serverUp();
    await pass(1_000);
    expect(api.openWatches).toBe(1);
  });

  it('reports no unchanged objects of a new list', async () => {
    const api = new ModelApi();
    api.set('a', 1);
    const { pass, known } = follow(api);
    await pass(10);
    known.clear();
    api.compact();
    api.breakWatches('bad-event');
    await pass(120_000);
    expect([...known]).toEqual([]);
  });

  it("finally has the server's objects, although messages overtake each other inside the agent", async () => {
    const step = fc.record({ type: fc.constantFrom('set', 'set', 'delete'), name: fc.constantFrom('a', 'b', 'c') });
    const run = fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.nat(), async (history, seed) => {
      const api = new ModelApi();
      const underWay: (() => void)[] = [];
      const { reflector, known, pass } = follow(api, seed, (hear) => void underWay.push(hear));
      await pass(10);
      for (const [value, { type, name: which }] of history.entries()) {
        if (type === 'set') api.set(which, value);
        else api.delete(which);
      }
      const random = seededRandom(seed);
      while (underWay.length > 0) underWay.splice(Math.floor(random() * underWay.length), 1)[0]?.();
      expect(values(reflector.objects())).toEqual(values(api.objects.values()));
      expect(values(known.values())).toEqual(values(api.objects.values()));
    });
    await fc.assert(run, { numRuns: 200 });
  });

  it('is complete even without any object', async () => {
    const api = new ModelApi();
    const { reflector, pass } = follow(api);
    expect(reflector.complete).toBe(false);
    await pass(10);
    expect(reflector.complete).toBe(true);
  });

  it('lists in smaller pages once a page was too large to read, and keeps to them', async () => {
    const api = new BulkyApi();
    api.readable = 9;
    for (let index = 0; index < 12; index += 1) api.set(`object-${index}`, index);
    const { reflector, troubles, pass } = follow(api);
    await pass(300_000);
    // A tenth each time, then three pages of five and five and two.
    expect(api.limits).toEqual([500, 50, 5, 5, 5]);
    expect(values(reflector.objects())).toEqual(values(api.objects.values()));
    expect(troubles.filter((what) => what === 'list-failed')).toHaveLength(2);
    api.compact();
    api.breakWatches('bad-event');
    await pass(120_000);
    expect(api.limits.slice(5)).toEqual([5, 5, 5]);
  });

  it('lists object by object if no page can be read, and never in empty pages', async () => {
    const api = new BulkyApi();
    api.readable = 0;
    api.set('a', 1);
    const { reflector, pass } = follow(api);
    await pass(600_000);
    expect(api.limits.slice(0, 4)).toEqual([500, 50, 5, 1]);
    expect(new Set(api.limits.slice(4))).toEqual(new Set([1]));
    api.readable = 1;
    await pass(120_000);
    expect(values(reflector.objects())).toEqual(values(api.objects.values()));
  });

  it('keeps the size of its pages when a list fails for another reason', async () => {
    const api = new BulkyApi();
    api.readable = 0;
    api.why = 'timed-out';
    const { pass } = follow(api);
    await pass(300_000);
    expect(api.limits.length).toBeGreaterThan(2);
    expect(new Set(api.limits)).toEqual(new Set([500]));
  });

  it('ignores all events after its end', async () => {
    const api = new ModelApi();
    const { reflector, known, pass } = follow(api);
    await pass(10);
    reflector.end();
    api.set('a', 1);
    await pass(3_600_000);
    expect([...known]).toEqual([]);
    expect(api.openWatches).toBe(0);
  });
});
