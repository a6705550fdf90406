import { formatTable } from '../../src/cli/terminal/format-table.ts';
import type { ApiFigures, DensityFigures } from './figures.ts';

/** Machine, time and method of the figures, without which they mean nothing. */
export interface Circumstances {
  readonly date: string;
  readonly command: string;
  readonly machine: string;
}

const fixed = (digits: number) => (value: number) => value.toFixed(digits);
const seconds = (ms: number): string => (ms / 1_000).toFixed(2);

interface Row {
  readonly name: string;
  readonly target?: string;
  readonly value: (figures: DensityFigures) => string;
}

const ms = fixed(2);
const mib = fixed(0);

const rows: readonly Row[] = [
  { name: 'all Ready, s', target: '≤ 5 at 1,000', value: ({ wallMs }) => seconds(wallMs) },
  { name: 'all Ready, from process start, s', value: ({ wallFromStartMs }) => seconds(wallFromStartMs) },
  { name: 'CPU per pod, ms', target: '≤ 4', value: ({ cpuMsPerPod }) => ms(cpuMsPerPod) },
  { name: 'of that in the kernel, ms', value: ({ kernelCpuMsPerPod }) => ms(kernelCpuMsPerPod) },
  { name: 'CPU per pod, from process start, ms', value: ({ cpuMsPerPodFromStart }) => ms(cpuMsPerPodFromStart) },
  { name: 'floor: CPU per pod of a bare client, ms', value: ({ floorCpuMsPerPod }) => ms(floorCpuMsPerPod) },
  { name: 'distance to the floor', target: '≤ 2.5 ×', value: (figures) => `${ms(distanceToFloor(figures))} ×` },
  { name: 'seen → container started, p50, ms', value: ({ startP50Ms }) => mib(startP50Ms) },
  { name: 'seen → container started, p99, ms', value: ({ startP99Ms }) => mib(startP99Ms) },
  { name: 'folder filled → container started, p50, ms', value: ({ arrivalP50Ms }) => mib(arrivalP50Ms) },
  { name: 'folder filled → container started, p99, ms', value: ({ arrivalP99Ms }) => mib(arrivalP99Ms) },
  { name: 'RSS without pods, MiB', target: '≤ 140', value: ({ rssEmptyMiB }) => mib(rssEmptyMiB) },
  { name: 'RSS with all pods at rest, MiB', target: '≤ 220 at 1,000', value: ({ rssMiB }) => mib(rssMiB) },
  { name: 'idle CPU, % of a core', target: '≤ 2 at 1,000', value: ({ idleCpuPercent }) => ms(idleCpuPercent) },
];

/** `target` of the same name is another when pods come through an API server. */
const apiTargets: Readonly<Record<string, string>> = {
  'all Ready, s': '≤ 10 at 1,000',
  'CPU per pod, ms': '≤ 8 at 1,000, ≤ 9 at 5,000',
  'RSS with all pods at rest, MiB': '≤ 220 at 1,000, ≤ 500 at 5,000',
  'idle CPU, % of a core': '≤ 2 at 1,000, ≤ 6 at 5,000',
};

interface ApiRow {
  readonly name: string;
  readonly target?: string;
  readonly value: (figures: ApiFigures) => string;
}

const counted = (value: number | undefined): string => (value === undefined ? 'not counted' : ms(value));

const apiRows: readonly ApiRow[] = [
  { name: 'status writes per pod', target: '≤ 3', value: ({ statusesPerPod }) => counted(statusesPerPod) },
  { name: 'events per pod', target: '≤ 3', value: ({ eventsPerPod }) => counted(eventsPerPod) },
  { name: 'other writes', target: '0', value: ({ otherWrites }) => counted(otherWrites) },
  { name: 'all gone, s', target: '≤ 10 at 1,000', value: ({ goneMs }) => seconds(goneMs) },
  { name: 'CPU per pod deleted, ms', target: '≤ 5', value: ({ goneCpuMsPerPod }) => ms(goneCpuMsPerPod) },
  { name: 'writes per pod deleted', value: ({ goneWritesPerPod }) => counted(goneWritesPerPod) },
  { name: 'restart: agent ready, s', target: '≤ 3', value: ({ restart }) => seconds(restart.agentReadyMs) },
  { name: 'restart: all pods known Ready, s', target: '≤ 3', value: ({ restart }) => seconds(restart.podsReadyMs) },
  { name: 'restart: status writes', target: '0', value: ({ restart }) => counted(restart.statusWrites) },
  { name: 'restart: events', value: ({ restart }) => counted(restart.events) },
  { name: 'restart: pods seen not Ready', target: '0', value: ({ restart }) => mib(restart.podsSeenUnready) },
  { name: 'restart: RSS after 15 s, MiB', value: ({ restart }) => mib(restart.rssMiB) },
];

export const distanceToFloor = ({ cpuMsPerPod, floorCpuMsPerPod }: DensityFigures): number =>
  cpuMsPerPod / floorCpuMsPerPod;

/** Cost of a pod in the largest run relative to the smallest. `undefined` for fewer than two sizes. */
export function growth(runs: readonly DensityFigures[]): string | undefined {
  const bySize = runs.toSorted((one, other) => one.pods - other.pods);
  const [smallest, largest] = [bySize[0], bySize.at(-1)];
  if (smallest === undefined || largest === undefined || smallest.pods === largest.pods) return undefined;
  const ratio = largest.cpuMsPerPod / smallest.cpuMsPerPod;
  return `CPU per pod at ${count(largest.pods)} is ${ratio.toFixed(2)} × that at ${count(smallest.pods)} (target ≤ 1.3 ×)`;
}

const count = (pods: number): string => pods.toLocaleString('en');

/** One line for programs. Figures are rounded to their precision. */
export function asJsonLine(figures: DensityFigures): string {
  const { pods, cpuMsPerPod, floorCpuMsPerPod, idleCpuPercent, threads } = figures;
  const to = (value: number, digits: number): number => Number(value.toFixed(digits));
  return JSON.stringify({
    pods,
    wallMs: to(figures.wallMs, 0),
    cpuMsPerPod: to(cpuMsPerPod, 3),
    floorCpuMsPerPod: to(floorCpuMsPerPod, 3),
    rssMiB: to(figures.rssMiB, 1),
    startP50Ms: to(figures.startP50Ms, 1),
    startP99Ms: to(figures.startP99Ms, 1),
    idleCpuPercent: to(idleCpuPercent, 2),
    ...(figures.api && { api: rounded(figures.api) }),
    threads: threads.map(({ name, cpuMs, heapMiB }) => ({ name, cpuMs: to(cpuMs, 0), heapMiB: to(heapMiB, 1) })),
  });
}

const rounded = (figures: ApiFigures): unknown =>
  JSON.parse(
    JSON.stringify(figures, (_name, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(2)) : value)),
  );

/** Tables for a terminal. */
export function asText(runs: readonly DensityFigures[]): string {
  const summary = growth(runs);
  const blocks = [formatTable(figureCells(runs)), ...runs.map((run) => formatTable(threadCells(run)))];
  if (summary !== undefined) blocks.push([summary]);
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** Tables for bench/RESULTS.md. */
export function asMarkdown(runs: readonly DensityFigures[], { date, command, machine }: Circumstances): string {
  const summary = growth(runs);
  const blocks = [`${date}, ${machine}: \`${command}\``, markdownTable(figureCells(runs))];
  if (summary !== undefined) blocks.push(`${summary}.`);
  blocks.push('By thread, CPU while the pods start (ms) and heap at rest (MiB):', markdownTable(threadColumns(runs)));
  return `${blocks.join('\n\n')}\n`;
}

type Cells = readonly (readonly string[])[];

const figureCells = (runs: readonly DensityFigures[]): Cells => [
  ['pods', ...runs.map(({ pods }) => count(pods)), 'target'],
  ...rows.map(({ name, target = '', value }) => [name, ...runs.map(value), targetOf(runs, name) ?? target]),
  ...apiCells(runs),
];

const targetOf = ([run]: readonly DensityFigures[], name: string): string | undefined =>
  run?.api === undefined ? undefined : apiTargets[name];

const apiCells = (runs: readonly DensityFigures[]): Cells =>
  runs.some(({ api }) => api !== undefined)
    ? apiRows.map(({ name, target = '', value }) => [name, ...runs.map(({ api }) => (api ? value(api) : '')), target])
    : [];

const OTHERS = 'other: jobs, garbage collection, compiler';

const threadCells = ({ pods, threads, otherThreadsCpuMs }: DensityFigures): Cells => [
  [`thread, ${count(pods)} pods`, 'CPU, ms', 'heap, MiB'],
  ...threads.map(({ name, cpuMs, heapMiB }) => [name, mib(cpuMs), mib(heapMiB)]),
  [OTHERS, mib(otherThreadsCpuMs), ''],
];

function threadColumns(runs: readonly DensityFigures[]): Cells {
  const names = [...new Set(runs.flatMap(({ threads }) => threads.map(({ name }) => name)))];
  const cell = ({ threads }: DensityFigures, wanted: string): string => {
    const thread = threads.find(({ name }) => name === wanted);
    return thread === undefined ? '' : `${mib(thread.cpuMs)} / ${mib(thread.heapMiB)}`;
  };
  return [
    ['thread', ...runs.map(({ pods }) => `${count(pods)} pods`)],
    ...names.map((name) => [name, ...runs.map((run) => cell(run, name))]),
    [OTHERS, ...runs.map(({ otherThreadsCpuMs }) => mib(otherThreadsCpuMs))],
  ];
}

function markdownTable([head = [], ...body]: Cells): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, column) => (column === 0 ? '---' : '--:'))), ...body.map(line)].join('\n');
}
