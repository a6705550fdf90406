import { stringify } from 'yaml';
import type { Clock, WallMs } from '../../actor/clock.ts';
import type { AdminBackend } from '../admin/admin-backend.ts';
import { type Pod, podKey } from '../../kube/pod.ts';
import { columnWidths, formatTable } from '../terminal/format-table.ts';
import { inOrder, type PodColumns, podHeader, podRow } from './pod-table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { UserError } from '../user-error.ts';

export interface GetPodsOptions {
  /** Empty means all. */
  readonly names: readonly string[];
  /** `undefined` means all. */
  readonly namespace: string | undefined;
  readonly output: 'table' | 'wide' | 'json' | 'yaml' | 'name';
  readonly headers: boolean;
}

export interface GetPodsDeps {
  readonly backend: Pick<AdminBackend, 'pods'>;
  readonly terminal: Terminal;
  readonly clock: Clock;
}

const WATCH_EVERY_MS = 1_000;

/** Ages always change. */
const withoutAge = (pod: Pod): string => podRow(pod, { wide: true, namespaces: true }, 0).join(' ');

/** Writes the pods once. Returns the exit code: 1 when a named pod does not exist. */
export async function getPods(options: GetPodsOptions, { backend, terminal, clock }: GetPodsDeps): Promise<number> {
  const pods = selectPods(await backend.pods(), options);
  const found = new Set(pods.map((pod) => pod.metadata.name));
  const missing = options.names.filter((name) => !found.has(name));
  if (pods.length > 0 || isDocument(options)) terminal.write(podsAsText(pods, options, clock.now()));
  else if (missing.length === 0) terminal.complain(`${nothingIn(options)}\n`);
  for (const name of missing) terminal.complain(`there is no pod ${name}${whereOf(options)}\n`);
  return missing.length === 0 ? 0 : 1;
}

const whereOf = ({ namespace }: GetPodsOptions): string =>
  namespace === undefined ? ' on this node' : ` in namespace ${namespace}; -A looks in all`;

const nothingIn = ({ namespace }: GetPodsOptions): string =>
  namespace === undefined ? 'No resources found.' : `No resources found in ${namespace} namespace.`;

const isDocument = ({ output }: GetPodsOptions): boolean => output === 'json' || output === 'yaml';

const columnsOf = ({ output, namespace }: GetPodsOptions): PodColumns => ({
  wide: output === 'wide',
  namespaces: namespace === undefined,
});

/** Returns the requested pods, in the order of their names. */
export function selectPods(pods: readonly Pod[], { names, namespace }: GetPodsOptions): readonly Pod[] {
  const wanted = pods.filter(
    ({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) &&
      (names.length === 0 || names.includes(metadata.name)),
  );
  return inOrder(wanted);
}

function podsAsText(pods: readonly Pod[], options: GetPodsOptions, now: WallMs): string {
  switch (options.output) {
    case 'json':
      return `${JSON.stringify(asDocument(pods, options), undefined, 4)}\n`;
    case 'yaml':
      return stringify(asDocument(pods, options), { aliasDuplicateObjects: false });
    case 'name':
      return pods.map((pod) => `pod/${pod.metadata.name}\n`).join('');
    case 'table':
    case 'wide': {
      const columns = columnsOf(options);
      const rows = pods.map((pod) => podRow(pod, columns, now));
      const lines = formatTable(options.headers ? [podHeader(columns), ...rows] : rows);
      return lines.map((line) => `${line}\n`).join('');
    }
    default:
      return options.output satisfies never;
  }
}

/** A single pod requested by name is written without a list around it. */
function asDocument(pods: readonly Pod[], { names }: GetPodsOptions): unknown {
  const [only] = pods;
  if (names.length === 1 && pods.length === 1 && only !== undefined) return only;
  return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: pods };
}

/** Writes the pods, and a line for each change after that, for ever. */
export async function watchPods(options: GetPodsOptions, deps: GetPodsDeps): Promise<number> {
  if (isDocument(options)) throw new UserError('--watch shows a table; leave out --output, or take --output wide');
  const { backend, terminal, clock } = deps;
  const columns = columnsOf(options);
  let shown: ReadonlyMap<string, string> = new Map();
  let widths = options.headers ? columnWidths([podHeader(columns)]) : [];
  let header = options.headers ? [podHeader(columns)] : [];
  for (;;) {
    const pods = selectPods(await backend.pods(), options);
    const { changed, now } = changedSince(shown, pods, withoutAge);
    shown = now;
    const rows = [...header, ...changed.map((pod) => podRow(pod, columns, clock.now()))];
    widths = columnWidths(rows, widths);
    if (changed.length > 0) {
      terminal.write(
        formatTable(rows, widths)
          .map((line) => `${line}\n`)
          .join(''),
      );
      header = [];
    }
    await new Promise<void>((resolve) => clock.after(WATCH_EVERY_MS, resolve));
  }
}

/** Returns the pods whose text differs from before. `before` and `now` hold the texts from `read`, by pod. */
export function changedSince(
  before: ReadonlyMap<string, string>,
  pods: readonly Pod[],
  read: (pod: Pod) => string,
): { readonly changed: readonly Pod[]; readonly now: ReadonlyMap<string, string> } {
  const now = new Map(pods.map((pod) => [podKey(pod), read(pod)]));
  return { changed: pods.filter((pod) => before.get(podKey(pod)) !== now.get(podKey(pod))), now };
}
