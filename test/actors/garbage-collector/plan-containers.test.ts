import { assert, constantFrom, integer, nat, property, tuple, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  planContainers,
  type ContainerPolicy,
  type ListedContainer,
  type ListedSandbox,
} from '../../../actors/garbage-collector/plan-containers.ts';
import type { PodOnNode } from '../../../actors/pod-manager/protocol.ts';

const NOW = 1_000_000;
const usual: ContainerPolicy = { minAgeMs: 0, maxPerPodContainer: 1, maxContainers: -1 };

type State = ListedContainer['state'];
type Life = PodOnNode['life'] | undefined;

/** `a.main.2`: instance 2 of container main of pod a, in sandbox `a.s`; later ones are newer. */
function container(id: string, state: State = 'exited', parts: Partial<ListedContainer> = {}): ListedContainer {
  const [podUid = '', name = '', count = '0'] = id.split('.');
  const restartCount = Number(count);
  const createdAt = NOW - 100_000 + restartCount * 1_000;
  const pod = { podUid, podName: `pod-${podUid}`, podNamespace: 'shop' };
  return { ...pod, id, name, restartCount, sandboxId: `${podUid}.s`, state, createdAt, ...parts };
}

const sandbox = (id: string, createdAt: number, state: ListedSandbox['state'] = 'not-ready'): ListedSandbox => ({
  id,
  podUid: id.split('.')[0] ?? '',
  state,
  createdAt,
});

function plan(options: {
  readonly containers?: readonly ListedContainer[];
  readonly sandboxes?: readonly ListedSandbox[];
  readonly lives?: Readonly<Record<string, Life>>;
  readonly policy?: Partial<ContainerPolicy>;
  readonly shortOfDisk?: boolean;
}) {
  const { containers = [], sandboxes = [], lives = {}, policy, shortOfDisk = false } = options;
  const lifeOf = (uid: string): Life => (uid in lives ? lives[uid] : 'living');
  const planned = planContainers({ containers, sandboxes, lifeOf, now: NOW, shortOfDisk }, { ...usual, ...policy });
  return { containers: planned.containers.map(({ id }) => id), sandboxes: planned.sandboxes.map(({ id }) => id) };
}

const threeDead = [container('a.main.0'), container('a.main.1'), container('a.main.2')];

describe('of dead containers the collector removes', () => {
  it.each([
    { rule: 'all but the newest of each container', given: { containers: threeDead }, gone: ['a.main.1', 'a.main.0'] },
    {
      rule: 'all dead containers except the newest beside a running one',
      given: { containers: [...threeDead, container('a.main.3', 'running')] },
      gone: ['a.main.1', 'a.main.0'],
    },
    {
      rule: 'the earlier instance, also when the clock was set back before the later one was created',
      given: { containers: [container('a.main.0'), container('a.main.1', 'exited', { createdAt: NOW - 900_000 })] },
      gone: ['a.main.0'],
    },
    {
      rule: 'no container that was created and not started yet, nor its dead predecessor',
      given: { containers: [container('a.main.0'), container('a.main.1', 'created')] },
      gone: [],
    },
    {
      rule: 'a container that was created, never started, and was replaced',
      given: {
        containers: [container('a.main.0', 'created'), container('a.main.1'), container('a.main.2', 'running')],
      },
      gone: ['a.main.0'],
    },
    {
      rule: 'nothing younger than the minimum age',
      given: { containers: threeDead, policy: { minAgeMs: 98_500 } },
      gone: ['a.main.0'],
    },
    {
      rule: 'as few as the policy allows',
      given: { containers: threeDead, policy: { maxPerPodContainer: 2 } },
      gone: ['a.main.0'],
    },
    {
      rule: 'no container when all are kept',
      given: { containers: threeDead, policy: { maxPerPodContainer: -1 } },
      gone: [],
    },
    {
      rule: 'never the newest of a running pod, even if the policy keeps none',
      given: { containers: threeDead, policy: { maxPerPodContainer: 0, maxContainers: 0 } },
      gone: ['a.main.1', 'a.main.0'],
    },
    {
      rule: 'everything of an unknown pod',
      given: { containers: [...threeDead, container('a.side.0', 'created')], lives: { a: undefined } },
      gone: ['a.main.0', 'a.main.1', 'a.main.2', 'a.side.0'],
    },
    {
      rule: 'no running container of an unknown pod',
      given: { containers: [container('a.main.0', 'running')], lives: { a: undefined } },
      gone: [],
    },
    {
      rule: 'everything of an evicted pod',
      given: { containers: [container('a.main.0')], lives: { a: 'evicted' as const } },
      gone: ['a.main.0'],
    },
    {
      rule: 'nothing of a pod that its worker is removing',
      given: { containers: threeDead, lives: { a: 'going' as const } },
      gone: [],
    },
    {
      rule: 'all but the newest of an ended pod',
      given: { containers: threeDead, lives: { a: 'ended' as const } },
      gone: ['a.main.1', 'a.main.0'],
    },
    {
      rule: 'everything of an ended pod when the node is short of disk',
      given: { containers: threeDead, lives: { a: 'ended' as const }, shortOfDisk: true },
      gone: ['a.main.0', 'a.main.1', 'a.main.2'],
    },
    {
      rule: 'the containers above an equal share of the total limit, then the oldest',
      given: {
        containers: [...threeDead, container('b.main.0'), container('b.main.1')],
        lives: { a: 'ended' as const, b: 'ended' as const },
        policy: { maxPerPodContainer: 3, maxContainers: 2 },
      },
      gone: ['a.main.1', 'a.main.0', 'b.main.0'],
    },
    {
      rule: 'the oldest of ended pods before the containers of living pods',
      given: {
        containers: [container('a.main.0'), container('b.main.1'), container('c.main.2')],
        lives: { a: 'living' as const, b: 'ended' as const, c: 'ended' as const },
        policy: { maxContainers: 1 },
      },
      gone: ['b.main.1', 'c.main.2'],
    },
  ])('$rule', ({ given, gone }) => {
    expect(plan(given).containers).toEqual(gone);
  });
});

describe('of sandboxes the collector removes', () => {
  const two = [sandbox('a.s', 1), sandbox('a.t', 2)];

  it.each([
    { rule: 'empty sandboxes except the newest of their pod', given: { sandboxes: two }, gone: ['a.s'] },
    {
      rule: 'no sandbox with containers',
      given: { sandboxes: two, containers: [container('a.main.0')] },
      gone: [],
    },
    {
      rule: 'a sandbox whose last container is removed with it',
      given: {
        sandboxes: two,
        containers: [container('a.main.0'), container('a.main.1', 'exited', { sandboxId: 'a.t' })],
      },
      gone: ['a.s'],
    },
    { rule: 'no ready sandbox', given: { sandboxes: [sandbox('a.s', 1, 'ready'), sandbox('a.t', 2)] }, gone: [] },
    {
      rule: 'all of an unknown pod',
      given: { sandboxes: two, lives: { a: undefined } },
      gone: ['a.t', 'a.s'],
    },
    {
      rule: 'no sandbox of a pod that its worker is removing',
      given: { sandboxes: two, lives: { a: 'going' as const } },
      gone: [],
    },
    {
      rule: 'not the last sandbox of an ended pod, which identifies it after a restart',
      given: { sandboxes: two, lives: { a: 'ended' as const }, shortOfDisk: true },
      gone: ['a.s'],
    },
  ])('$rule', ({ given, gone }) => {
    expect(plan(given).sandboxes).toEqual(gone);
  });
});

describe('any list of the runtime', () => {
  const states = constantFrom<State>('created', 'running', 'exited', 'unknown');
  const lives = constantFrom<Life>('living', 'going', 'ended', 'evicted', 'over', undefined);
  const limit = integer({ min: -1, max: 3 });
  const listed = uniqueArray(tuple(constantFrom('a', 'b'), constantFrom('main', 'side'), nat(5), states), {
    selector: ([pod, name, count]) => `${pod}.${name}.${count}`,
  }).map((all) => all.map(([pod, name, count, state]) => container(`${pod}.${name}.${count}`, state)));
  const node = tuple(listed, lives, lives, limit, limit).map(
    ([containers, a, b, maxPerPodContainer, maxContainers]) => ({
      containers,
      lives: { a, b },
      policy: { maxPerPodContainer, maxContainers },
    }),
  );
  const isDead = ({ state }: ListedContainer): boolean => state === 'exited' || state === 'unknown';

  it('nothing that runs is removed, and each container of a living pod keeps its newest instance', () => {
    assert(
      property(node, (given) => {
        const needed = given.containers.filter((each) => {
          if (each.state === 'running') return true;
          const isLiving = given.lives[each.podUid === 'a' ? 'a' : 'b'] === 'living';
          const same = given.containers.filter(({ podUid, name }) => podUid === each.podUid && name === each.name);
          return isLiving && isDead(each) && !same.some((other) => isDead(other) && other.createdAt > each.createdAt);
        });
        const gone = new Set(plan(given).containers);
        expect(needed.filter(({ id }) => gone.has(id))).toEqual([]);
      }),
    );
  });

  it('the order of its lists does not matter', () => {
    assert(
      property(node, (given) => {
        const one = plan(given).containers.toSorted();
        const other = plan({ ...given, containers: given.containers.toReversed() }).containers.toSorted();
        expect(other).toEqual(one);
      }),
    );
  });
});
