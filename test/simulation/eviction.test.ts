import { describe, expect, it } from 'vitest';
import { treeOf } from '../../actors/tree.ts';
import type { Profile } from '../../src/agent/settings.ts';
import { seededRandom } from '../../src/actor/random.ts';
import { eventsPath, podPath, podsPath } from '../../src/api/api-path.ts';
import type { ApiRequest } from '../../src/api/api-request.ts';
import { ContainerState } from '../../src/cri/gen/api.ts';
import { parseScript } from '../../src/embedded/runtime/script/script.ts';
import type { FileSystems } from '../../src/node/eviction/file-systems.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { WholeNode } from '../golden-runner/whole-node.ts';
import { NO_USE, SimulatedFigures, type SimulatedUse } from './node/simulated-figures.ts';
import type { PlanStep } from './plan.ts';
import { simulate } from './simulate.ts';
import { TRANSITION_MS } from './node/simulated-kinds.ts';
import type { SimulatedRuntime } from './node/simulated-runtime.ts';
import { Traps } from './node/traps.ts';

const NODE = 'small-node';
const NAMESPACE = 'shop';
const LONGEST_MS = 600_000;
const IMPORTANT = 'important';

interface WantedPod {
  readonly critical?: true;
  readonly memory?: string;
  readonly priorityClass?: string;
  readonly use?: Partial<SimulatedUse>;
}

const manifestOf = (name: string, { critical, memory, priorityClass }: WantedPod) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: NAMESPACE },
  spec: {
    nodeName: NODE,
    terminationGracePeriodSeconds: 5,
    ...(critical && { priorityClassName: 'system-cluster-critical' }),
    ...(priorityClass !== undefined && { priorityClassName: priorityClass }),
    containers: [
      { name: 'main', image: 'app:1', ...(memory !== undefined && { resources: { requests: { memory } } }) },
    ],
  },
});

interface NodeMade {
  readonly profile?: Profile;
  /** How long containers take to stop. */
  readonly stopMs?: number;
  readonly fileSystems?: FileSystems;
}

/** A node with 8 GiB of memory, one static pod, and pods of the API with their usage. */
async function nodeWith(
  pods: Readonly<Record<string, WantedPod>>,
  act: (node: SmallNode) => Promise<void>,
  made: NodeMade = {},
) {
  const node = new SmallNode(pods, made);
  await node.play(act);
  return node;
}

class SmallNode {
  readonly traps = new Traps();
  figures!: SimulatedFigures;
  /** The state that outlives a restart of the agent. */
  #before: Pick<SimulatedFigures, 'othersMib' | 'imagesMib' | 'unusedImagesMib'> = {
    othersMib: 0,
    imagesMib: 0,
    unusedImagesMib: 0,
  };
  readonly #pods: Record<string, WantedPod>;
  readonly #node: WholeNode;

  constructor(pods: Readonly<Record<string, WantedPod>>, { stopMs = 900, fileSystems = 'single', profile }: NodeMade) {
    this.#pods = { ...pods, static: { use: { memoryMib: 1_000, diskMib: 1_000 } } };
    this.#node = new WholeNode({
      node: { nodeName: NODE, syncFrequencyMs: 60_000, crashLoopMaxMs: 300_000 },
      nodeObject: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: NODE, labels: { 'kubernetes.io/hostname': NODE, 'kubernetes.io/os': 'linux' } },
        status: { allocatable: { cpu: '8', memory: '64Gi', pods: '50' } },
      },
      runtime: { script: parseScript({}), latencies: { sandboxMs: 40, createMs: 15, startMs: 20, stopMs } },
      watcher: { began() {}, ended() {}, cut() {} },
      profile,
      traps: this.traps,
      figures: (now, runtime) => {
        this.figures = new SimulatedFigures({
          now,
          running: () => new Set(running(runtime).keys()),
          useOf: (uid) => ({ ...NO_USE, ...this.#pods[running(runtime).get(uid) ?? '']?.use }),
        });
        const { othersMib, imagesMib, unusedImagesMib } = this.#before;
        Object.assign(this.figures, { othersMib, fileSystems, imagesMib, unusedImagesMib });
        this.#before = this.figures;
        return this.figures;
      },
    });
  }

  get problems(): readonly string[] {
    return this.#node.problems;
  }

  get running(): readonly string[] {
    return [...running(this.#node.runtime).values()].toSorted();
  }

  async play(act: (node: SmallNode) => Promise<void>): Promise<void> {
    await this.#node.play(async () => {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
      await this.call({ verb: 'create', path: '/api/v1/namespaces', body: namespace });
      this.#node.writeStatic('static.json', JSON.stringify(manifestOf('static', {})));
      this.#node.startAgent();
      const important = {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: IMPORTANT },
        value: 9,
      };
      await this.call({ verb: 'create', path: '/apis/scheduling.k8s.io/v1/priorityclasses', body: important });
      for (const name of Object.keys(this.#pods)) if (name !== 'static') await this.create(name);
      await this.pass(8);
      await act(this);
    }, LONGEST_MS);
  }

  async create(name: string, pod = this.#pods[name] ?? {}): Promise<void> {
    this.#pods[name] = pod;
    await this.call({ verb: 'create', path: podsPath(NAMESPACE), body: manifestOf(name, pod) });
  }

  pass(seconds: number): Promise<void> {
    return this.#node.sleep(seconds * 1_000);
  }

  endThread(name: string): void {
    this.#node.endThread(name);
  }

  async status(name: string): Promise<Pod['status']> {
    return ((await this.call({ verb: 'get', path: podPath(NAMESPACE, name) })) as Pod).status;
  }

  /** The reason or phase of each pod. */
  async outcomes(...names: readonly string[]): Promise<readonly string[]> {
    const statuses = await Promise.all(names.map((name) => this.status(name)));
    return statuses.map((status) => status?.reason ?? status?.phase ?? '');
  }

  /** The names of the events' objects. */
  async events(reason: string, namespace = NAMESPACE): Promise<readonly string[]> {
    const list = (await this.call({ verb: 'list', path: eventsPath(namespace) })) as {
      readonly items: readonly {
        readonly reason: string;
        readonly involvedObject: { readonly name: string };
      }[];
    };
    return list.items.filter((each) => each.reason === reason).map(({ involvedObject }) => involvedObject.name);
  }

  async call(request: Omit<ApiRequest, 'priority'>): Promise<unknown> {
    const outcome = await this.#node.api.call({ ...request, priority: 'object' }, 10_000);
    if (!outcome.ok) throw new Error(`${request.verb} ${request.path}: ${JSON.stringify(outcome.fault)}`);
    return outcome.value;
  }
}

/** The names of running pods by UID, without the node's suffix. */
function running({ core }: SimulatedRuntime): ReadonlyMap<string, string> {
  const { containers } = core.listContainers({ filter: undefined });
  return new Map(
    containers
      .filter(({ state }) => state === ContainerState.CONTAINER_RUNNING)
      .map(({ labels }) => [
        labels['io.kubernetes.pod.uid'] ?? '',
        (labels['io.kubernetes.pod.name'] ?? '').replace(`-${NODE}`, ''),
      ]),
  );
}

const MIB_OF_NODE = 8_192;
/** Histories in which both managers die. Without the question for pending evictions, some of these evict two pods. */
const FIRST_SEED = 40;
const SEEDS = 12;
/** Long enough that a restarted manager without that knowledge would choose another pod. */
const SLOW_STOP_MS = 4_000;

const pods = {
  critical: { critical: true, use: { memoryMib: 2_000 } },
  big: { use: { memoryMib: 900 } },
  modest: { memory: '600Mi', use: { memoryMib: 500 } },
  small: { use: { memoryMib: 300 } },
} satisfies Readonly<Record<string, WantedPod>>;
const ALL = ['big', 'critical', 'modest', 'small', 'static'];
/** The memory that other processes must use so that this much is left while all pods run. */
const others = (freeMib: number): number => MIB_OF_NODE - freeMib - (2_000 + 900 + 500 + 300 + 1_000);

describe('a simulated node that runs short of memory', () => {
  it('evicts the pod furthest above its request, rejects new pods under pressure, and recovers', async () => {
    const { problems } = await nodeWith(pods, async (node) => {
      expect(node.running).toEqual(ALL);
      node.figures.othersMib = others(50);
      await node.pass(15);
      expect(await node.outcomes('big', 'small', 'modest', 'critical')).toEqual([
        'Evicted',
        'Running',
        'Running',
        'Running',
      ]);
      expect(node.running).toEqual(['critical', 'modest', 'small', 'static']);
      const status = await node.status('big');
      expect(status).toMatchObject({
        phase: 'Failed',
        message:
          'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ' +
          'Container main was using 900Mi, request is 0, has larger consumption of memory. ',
      });
      expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
        status: 'True',
        reason: 'TerminationByKubelet',
      });
      expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(143);
      expect(await node.events('Evicted')).toEqual(['big']);
      expect(await node.events('EvictionThresholdMet', 'default')).toEqual([NODE]);

      await node.create('late-beggar', {});
      await node.create('late-guest', { memory: '1Mi' });
      await node.pass(5);
      expect(await node.outcomes('late-beggar', 'late-guest')).toEqual(['Evicted', 'Running']);
      expect((await node.status('late-beggar'))?.message).toBe(
        'Pod was rejected: The node had condition: [MemoryPressure]. ',
      );
      await node.pass(TRANSITION_MS / 1_000 + 10);
      await node.create('later-beggar', {});
      await node.pass(5);
      expect(await node.outcomes('later-beggar')).toEqual(['Running']);
    });
    expect(problems).toEqual([]);
  });

  it('evicts one pod after the other until enough memory is free, and never a critical pod', async () => {
    const { problems } = await nodeWith(pods, async (node) => {
      node.figures.othersMib = others(-3_000);
      const gone: string[] = [];
      for (let tenth = 0; tenth < 900; tenth += 1) {
        await node.pass(0.1);
        gone.push(...ALL.filter((name) => !gone.includes(name) && !node.running.includes(name)));
      }
      expect(gone).toEqual(['big', 'small', 'modest']);
      expect(node.running).toEqual(['critical', 'static']);
    });
    expect(problems).toEqual([]);
  });

  it('delays the eviction for a soft threshold, and reports the condition at once', async () => {
    const { problems } = await nodeWith(pods, async (node) => {
      node.figures.othersMib = others(400);
      await node.pass(30);
      expect(node.running).toEqual(ALL);
      await node.create('beggar', {});
      await node.pass(2);
      expect(await node.outcomes('beggar')).toEqual(['Evicted']);
      await node.pass(50);
      expect(await node.events('Evicted')).toContain('big');
      expect(node.running).toEqual(['critical', 'modest', 'small', 'static']);
    });
    expect(problems).toEqual([]);
  });
});

describe('a simulated node that runs short of disk', () => {
  it('evicts the pod with the largest usage', async () => {
    const onDisk = {
      full: { use: { diskMib: 60_000 } },
      light: { use: { diskMib: 20_000 } },
      critical: { critical: true as const, use: { diskMib: 30_000 } },
    };
    const { problems } = await nodeWith(onDisk, async (node) => {
      await node.pass(30);
      expect(await node.outcomes('full', 'light', 'critical')).toEqual(['Evicted', 'Running', 'Running']);
      expect((await node.status('full'))?.message).toMatch(/^The node was low on resource: ephemeral-storage\. /);
    });
    expect(problems).toEqual([]);
  });
});

describe('a simulated node that runs short of inodes or of process numbers', () => {
  it.each([
    {
      what: 'inodes',
      condition: 'DiskPressure',
      // Pods have no requests for inodes: any usage exceeds the request, so priority decides.
      pods: {
        most: { use: { inodes: 600_000 }, priorityClass: IMPORTANT },
        many: { use: { inodes: 250_000 } },
        few: { use: { inodes: 110_000 } },
      },
      message: 'The node was low on resource: inodes. Threshold quantity: 50000, available: 40k. ',
    },
    {
      what: 'pids',
      condition: 'PIDPressure',
      pods: {
        most: { use: { processes: 20_000 }, priorityClass: IMPORTANT },
        many: { use: { processes: 7_000 } },
        few: { use: { processes: 5_000 } },
      },
      message: 'The node was low on resource: pids. Threshold quantity: 1k, available: 768. ',
    },
  ])('evicts the pod of the lowest priority with the most $what', async ({ condition, pods: three, message }) => {
    const { problems } = await nodeWith(three, async (node) => {
      await node.pass(30);
      expect(await node.outcomes('most', 'many', 'few')).toEqual(['Running', 'Evicted', 'Running']);
      expect((await node.status('many'))?.message).toBe(message);
      await node.create('late', {});
      await node.pass(2);
      expect((await node.status('late'))?.message).toBe(`Pod was rejected: The node had condition: [${condition}]. `);
      await node.pass(TRANSITION_MS / 1_000 + 10);
      await node.create('later', {});
      await node.pass(5);
      expect(await node.outcomes('later')).toEqual(['Running']);
    });
    expect(problems).toEqual([]);
  });
});

describe('a simulated node whose image disk runs short', () => {
  const onLayers = {
    small: { use: { diskMib: 1_000, logsMib: 40_000 } },
    large: { use: { diskMib: 9_000 } },
  };

  it('removes unused images, reports pressure for the transition period, and evicts no pod', async () => {
    const { problems } = await nodeWith(
      onLayers,
      async (node) => {
        Object.assign(node.figures, { imagesMib: 20_000, unusedImagesMib: 20_000 });
        await node.pass(15);
        expect(node.figures.reclaimed).toEqual(['delete-unused-containers', 'delete-unused-images']);
        expect(await node.events('EvictionThresholdMet', 'default')).toEqual([NODE]);
        await node.create('late', {});
        await node.pass(2);
        expect((await node.status('late'))?.message).toBe('Pod was rejected: The node had condition: [DiskPressure]. ');
        await node.pass(TRANSITION_MS / 1_000 + 10);
        await node.create('later', {});
        await node.pass(5);
        expect(await node.outcomes('small', 'large', 'later')).toEqual(['Running', 'Running', 'Running']);
        expect(await node.events('Evicted')).toEqual(['late']);
      },
      { fileSystems: 'image' },
    );
    expect(problems).toEqual([]);
  });

  it('then evicts the pod with the largest writable layer, ignoring logs', async () => {
    const { problems } = await nodeWith(
      onLayers,
      async (node) => {
        Object.assign(node.figures, { imagesMib: 35_000, unusedImagesMib: 1_000 });
        await node.pass(30);
        expect(await node.outcomes('small', 'large')).toEqual(['Running', 'Evicted']);
        expect((await node.status('large'))?.message).toBe(
          'The node was low on resource: ephemeral-storage. Threshold quantity: 8053064000, available: 4200Mi. ' +
            'Container main was using 9000Mi, request is 0, has larger consumption of ephemeral-storage. ',
        );
        expect(node.figures.reclaimed).toEqual(['delete-unused-containers', 'delete-unused-images']);
      },
      { fileSystems: 'image' },
    );
    expect(problems).toEqual([]);
  });
});

/** The node runs short under faults by `harm`. In the end the right pod is evicted, reported once, and stays evicted. */
async function oneIsEvicted(node: SmallNode, harm: () => Promise<void> | void): Promise<void> {
  node.figures.othersMib = others(50);
  await harm();
  await node.pass(50);
  node.traps.clear();
  expect(node.running).toEqual(['critical', 'modest', 'small', 'static']);
  expect(await node.outcomes('big', 'small', 'modest', 'critical')).toEqual([
    'Evicted',
    'Running',
    'Running',
    'Running',
  ]);
}

async function untilSomebodyIsToGo(node: SmallNode): Promise<void> {
  for (let waited = 0; waited < 40; waited += 1) {
    if ((await node.events('EvictionThresholdMet', 'default')).length > 0) return;
    await node.pass(0.25);
  }
}

describe('an eviction during a crash', () => {
  const MESSAGES = Array.from({ length: 9 }, (_, index) => index + 1);
  const moments = (['before', 'after'] as const).flatMap((moment) =>
    MESSAGES.map((message) => ({ address: 'eviction-manager', message, moment })),
  );
  const managers = [1, 2, 3].map((message) => ({ address: 'pod-manager', message, moment: 'after' as const }));

  it.each([...moments, ...managers])(
    'still evicts one pod: $address crashes $moment its message $message',
    async (trap) => {
      const { problems } = await nodeWith(pods, (node) => oneIsEvicted(node, () => node.traps.set(trap)), {
        stopMs: SLOW_STOP_MS,
      });
      expect(problems).toEqual([]);
    },
  );

  /** Crashes of both managers at seeded random moments. */
  it.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
    'still evicts one pod when both managers crash repeatedly: seed %i',
    async (seed) => {
      const random = seededRandom(seed);
      const chance = (below: number): number => Math.floor(random() * below);
      const die = async (node: SmallNode): Promise<void> => {
        // The first crashes are anywhere in a pass, or after a pod was chosen.
        if (chance(2) === 0) await untilSomebodyIsToGo(node);
        for (let death = 0; death < 3; death += 1) {
          for (const address of ['eviction-manager', 'pod-manager']) {
            node.traps.set({ address, message: 1 + chance(4), moment: chance(2) === 0 ? 'before' : 'after' });
          }
          await node.pass(chance(20) / 10);
        }
      };
      const { problems } = await nodeWith(pods, (node) => oneIsEvicted(node, () => die(node)), {
        stopMs: SLOW_STOP_MS,
      });
      expect(problems).toEqual([]);
    },
  );

  const threads = {
    standard: ['probes', 'node', 'pods-0', 'pods-1'],
    compact: treeOf('compact', { api: 'api', serves: true }).threads.map(({ name }) => name),
  };

  it.each([
    ...[0, 1, 2, 3].flatMap((seconds) =>
      threads.standard.map((thread) => ({ profile: 'standard', seconds, thread }) as const),
    ),
    ...[0.5, 1, 1.5, 2.5].flatMap((seconds) =>
      threads.compact.map((thread) => ({ profile: 'compact', seconds, thread }) as const),
    ),
  ])(
    'still evicts one pod: thread $thread of $profile exits after $seconds s',
    async ({ profile, seconds, thread }) => {
      const harm = async (node: SmallNode): Promise<void> => {
        await untilSomebodyIsToGo(node);
        await node.pass(seconds);
        node.endThread(thread);
      };
      const { problems } = await nodeWith(pods, (node) => oneIsEvicted(node, () => harm(node)), {
        stopMs: SLOW_STOP_MS,
        profile,
      });
      expect(problems).toEqual([]);
    },
  );
});

describe('a simulated node of static pods that runs short', () => {
  it.each(['memory', 'disk'] as const)('of %s keeps all static pods, since the node depends on them', async (of) => {
    const SECOND = 1_000;
    const slots = [0, 1, 2, 3];
    const steps: PlanStep[] = [
      ...slots.map((slot) => ({ at: slot, event: { do: 'write', slot, shape: 'plain', revision: slot } }) as const),
      { at: 60 * SECOND, event: { do: 'run-short', of, forMs: 90 * SECOND } },
      { at: 80 * SECOND, event: { do: 'throw', actor: 'eviction-manager' } },
      { at: 120 * SECOND, event: { do: 'check-convergence' } },
      { at: 300 * SECOND, event: { do: 'check-convergence' } },
    ];
    const { violations } = await simulate({ seed: 1, pods: slots.length, endsAt: 310 * SECOND, steps });
    expect(violations).toEqual([]);
  });
});
