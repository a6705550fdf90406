import type { ApiOutcome, ApiRequest } from '../../src/api/api-request.ts';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import type { RuntimeControl } from '../../src/embedded/runtime/serve/runtime-control.ts';
import type { RecordedCall } from './record-calls.ts';
import type { ObjectRecorder } from './record-objects.ts';
import type { Action, ApiObject, StatusEntry, Wait } from './scenario.ts';

/** The node on which a scenario is played. Instants are virtual milliseconds. */
export interface Stage {
  readonly api: ApiTransport;
  readonly control: StageControl;
  readonly objects: ObjectRecorder;
  readonly calls: readonly RecordedCall[];
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Resolves once the condition holds. The condition is checked after each change, and at intervals. */
  until(holds: () => boolean, what: string): Promise<void>;
  writeStatic(file: string, pod: ApiObject | undefined): Promise<void> | void;
  readVolumeFile(path: string): string | undefined;
  killAgent(): Promise<void> | void;
  startAgent(): Promise<void> | void;
}

type AfterAll<Method extends (...args: never[]) => void> = (...args: Parameters<Method>) => Promise<void> | void;

/** Events of containers without a call. */
export type StageControl = {
  readonly [Name in 'exit' | 'vanish' | 'sandboxDie' | 'sandboxVanish']: AfterAll<RuntimeControl[Name]>;
};

const API_CALL_MS = 10_000;
export const NAMESPACE = 'life';

const OF_NO_NAMESPACE: ReadonlySet<string> = new Set([
  'Namespace',
  'Node',
  'PersistentVolume',
  'RuntimeClass',
  'PriorityClass',
  'StorageClass',
  'CSIDriver',
  'CSINode',
  'VolumeAttachment',
]);

const objectPath = (kind: string, name?: string): string => {
  const namespace = OF_NO_NAMESPACE.has(kind) ? '' : `/namespaces/${NAMESPACE}`;
  return `/api/v1${namespace}/${kind
    .toLowerCase()
    .replace(/(?<!s)s?$/, 's')
    .replace(/ss$/, 'sses')}${name === undefined ? '' : `/${name}`}`;
};

/** Plays one user action after another. Rejects when a wait or an API call cannot be done. */
export async function playActions(stage: Stage, actions: readonly Action[]): Promise<readonly number[]> {
  const deletedAt: number[] = [];
  for (const action of actions) {
    if ('delete' in action) deletedAt.push(stage.now());
    await playAction(stage, action);
  }
  return deletedAt;
}

async function playAction(stage: Stage, action: Action): Promise<void> {
  if ('sleep' in action) return stage.sleep(action.sleep);
  if ('wait' in action) return stage.until(() => holds(stage, action.wait), JSON.stringify(action.wait));
  if ('create' in action) return createObject(stage.api, action.create);
  if ('delete' in action) {
    const options = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(action.grace !== undefined && { gracePeriodSeconds: action.grace }),
    };
    return call(stage.api, { verb: 'delete', path: objectPath(action.kind ?? 'Pod', action.delete), body: options });
  }
  if ('patch' in action) {
    const { patch, kind = 'Pod', subresource, body, type } = action;
    const path = `${objectPath(kind, patch)}${subresource === undefined ? '' : `/${subresource}`}`;
    return call(stage.api, {
      verb: 'patch',
      path,
      body,
      patchType: type === 'merge' ? 'merge' : 'strategic-merge',
    });
  }
  if ('static' in action) return stage.writeStatic(action.static, action.pod);
  if ('kubelet' in action) return action.kubelet === 'kill' ? stage.killAgent() : stage.startAgent();
  const { op, pod, container = '', code = 0 } = action.cri;
  switch (op) {
    case 'exit':
      return stage.control.exit({ pod, container }, code);
    case 'vanish':
      return stage.control.vanish({ pod, container });
    case 'sandbox-die':
      return stage.control.sandboxDie({ pod });
    case 'sandbox-vanish':
      return stage.control.sandboxVanish({ pod });
  }
}

export function createObject(api: ApiTransport, object: ApiObject): Promise<void> {
  const path = objectPath(object.kind);
  const { apiVersion } = object;
  return call(api, {
    verb: 'create',
    path: apiVersion === 'v1' ? path : path.replace('/api/v1', `/apis/${apiVersion}`),
    body: object,
  });
}

async function call(api: ApiTransport, request: Omit<ApiRequest, 'priority'>): Promise<void> {
  const outcome: ApiOutcome<unknown> = await api.call({ ...request, priority: 'object' }, API_CALL_MS);
  if (!outcome.ok) throw new Error(`${request.verb} ${request.path}: ${JSON.stringify(outcome.fault)}`);
}

function holds(stage: Stage, wait: Wait): boolean {
  const history = stage.objects.history(wait.pod);
  if (wait.file !== undefined) return stage.readVolumeFile(wait.file) === wait.content;
  if (wait.gone === true) return history.newest === undefined && history.deletions > 0;
  if (wait.deletions !== undefined) return history.deletions >= wait.deletions;
  if (wait.event !== undefined) return eventCount(stage, wait.pod, wait.event) >= (wait.n ?? 1);
  if (wait.call !== undefined) return callCount(stage, wait) >= (wait.n ?? 1);
  const latest = history.entries.at(-1);
  return latest !== undefined && history.newest !== undefined && statusHolds(latest, wait);
}

const eventCount = ({ objects }: Stage, pod: string, reason: string): number =>
  [...objects.events.values()]
    .filter((event) => event.pod === pod && event.reason === reason)
    .reduce((sum, { count }) => sum + count, 0);

const callCount = ({ calls }: Stage, { pod, call: method, container }: Wait): number =>
  calls.filter(
    (each) => each.pod === pod && each.method === method && (container === undefined || each.container === container),
  ).length;

function statusHolds(entry: StatusEntry, wait: Wait): boolean {
  if (wait.phase !== undefined && entry.phase !== wait.phase) return false;
  if (wait.condition !== undefined) {
    const [type = '', status] = wait.condition.split('=');
    if (entry.conditions?.[type]?.split('/')[0] !== status) return false;
  }
  if (wait.container === undefined) return true;
  const container = { ...entry.init, ...entry.containers, ...entry.ephemeral }[wait.container];
  if (container === undefined) return false;
  return (
    (wait.state === undefined || container.state === wait.state || container.state.startsWith(`${wait.state}/`)) &&
    (wait.ready === undefined || (container.ready ?? false) === wait.ready) &&
    (wait.started === undefined || (container.started ?? false) === wait.started) &&
    (container.restarts ?? 0) >= (wait.restarts ?? 0)
  );
}
