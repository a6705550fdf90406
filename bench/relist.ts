/**
 * What does a relist of 5,000 containers cost PLEG, with no changes and with 1 % changed? Entries come in the same
 * order as before, and in any order, as runtimes send them.
 */
import { parseArgs } from 'node:util';
import { PodLists } from '../actors/pleg/list-delta.ts';
import {
  Container,
  ContainerState,
  ListContainersResponse,
  ListPodSandboxResponse,
  PodSandbox,
  PodSandboxState,
} from '../src/cri/gen/api.ts';
import { fnv1a32 } from '../src/kube/text/fnv-hash.ts';

interface Figure {
  readonly what: string;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly targetMs: number;
}

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    rounds: { type: 'string', default: '30' },
    containers: { type: 'string', default: '5000' },
  },
});
const rounds = Number(values.rounds);
const count = Number(values.containers);
const TARGET_MS = 10;

const hex = (index: number): string => index.toString(16).padStart(64, '0');

/** A container of realistic size, with the kubelet's labels and annotations. */
function container(index: number, state: ContainerState): Container {
  const labels = {
    'io.kubernetes.container.name': 'main',
    'io.kubernetes.pod.name': `web-${index}`,
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.pod.uid': `6c2a8e0e-3b0f-4c57-9d3d-${index.toString(16).padStart(12, '0')}`,
  };
  const annotations = {
    'io.kubernetes.container.hash': '5fb3a1c2',
    'io.kubernetes.container.restartCount': '0',
    'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
    'io.kubernetes.container.terminationMessagePolicy': 'File',
    'io.kubernetes.pod.terminationGracePeriod': '30',
  };
  const image = { image: 'registry.example/web:1', userSpecifiedImage: '', runtimeHandler: '', annotations: {} };
  return Container.fromPartial({
    id: hex(index),
    podSandboxId: hex(count + index),
    metadata: { name: 'main', attempt: 0 },
    image,
    imageRef: `sha256:${hex(1)}`,
    state,
    createdAt: 1_700_000_000_000_000_000n + BigInt(index),
    labels,
    annotations,
  });
}

function sandbox({ podSandboxId, labels, createdAt }: Container): PodSandbox {
  return PodSandbox.fromPartial({
    id: podSandboxId,
    metadata: { name: labels['io.kubernetes.pod.name'] ?? '', namespace: 'default', attempt: 0 },
    state: PodSandboxState.SANDBOX_READY,
    createdAt,
    labels,
  });
}

/** Another order for each seed, the same every run. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  return items
    .map((item, index) => ({ item, key: fnv1a32(`${seed}/${index}`) }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

function measure(what: string, make: (round: number) => readonly Container[]): Figure {
  const lists = new PodLists();
  const took: number[] = [];
  for (let round = 0; round < rounds + 5; round++) {
    const containers = make(round);
    const raw = {
      sandboxes: ListPodSandboxResponse.encode({ items: containers.map(sandbox) }).finish(),
      containers: ListContainersResponse.encode({ containers: [...containers] }).finish(),
    };
    const begun = performance.now();
    const delta = lists.delta({ ...raw, at: round }, new Set());
    const ended = performance.now();
    if ('code' in delta) throw new Error(delta.detail);
    // The first rounds read the list for the first time, and warm the code up.
    if (round >= 5) took.push(ended - begun);
  }
  took.sort((a, b) => a - b);
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return { what, medianMs: at(0.5), p99Ms: at(0.99), targetMs: TARGET_MS };
}

const all = Array.from({ length: count }, (_, index) => container(index, ContainerState.CONTAINER_RUNNING));
const dead = all.map((each) => ({ ...each, state: ContainerState.CONTAINER_EXITED }));
const flipped = (round: number): readonly Container[] =>
  all.map((each, index) => (index % 100 === 0 && round % 2 === 1 ? (dead[index] ?? each) : each));

const figures = [
  measure('nothing changed, same order', () => all),
  measure('nothing changed, any order', (round) => shuffled(all, round)),
  measure('1 % changed, same order', flipped),
  measure('1 % changed, any order', (round) => shuffled(flipped(round), round)),
];

const row = ({ what, medianMs, p99Ms, targetMs }: Figure): string =>
  `${what.padEnd(32)}${medianMs.toFixed(2).padStart(8)} ms${p99Ms.toFixed(2).padStart(10)} ms  ` +
  `${medianMs <= targetMs ? 'meets' : 'misses'} ${targetMs} ms`;
const heading = `${`${count} pods of one container`.padEnd(32)}${'median'.padStart(11)}${'p99'.padStart(13)}`;

if (values.json === true) process.stdout.write(`${JSON.stringify({ bench: 'relist', containers: count, figures })}\n`);
else process.stdout.write(`${heading}\n${figures.map(row).join('\n')}\n`);
