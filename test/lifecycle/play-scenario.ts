import type { ApiOutcome, ApiRequest } from '../../src/api/api-request.ts';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import type { RuntimeControl } from '../../src/embedded/runtime/serve/runtime-control.ts';
import type { RecordedCall } from './record-calls.ts';
import type { ObjectRecorder } from './record-objects.ts';
import { DEFAULT_NAMESPACE, listPathOf, namespacesOf, pathOfNamed } from './object-path.ts';
import type { Action, ApiObject, Scenario, StatusEntry, Wait } from './scenario.ts';

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

/** Plays one user action after another. Rejects when a wait or an API call cannot be done. */
export async function playActions(stage: Stage, scenario: Scenario): Promise<readonly number[]> {
  const deletedAt: number[] = [];
  for (const action of scenario.actions) {
    if ('delete' in action) deletedAt.push(stage.now());
    await playAction(stage, action, scenario);
  }
  return deletedAt;
}

async function playAction(stage: Stage, action: Action, scenario: Scenario): Promise<void> {
  if ('sleep' in action) return stage.sleep(action.sleep);
  if ('wait' in action) return stage.until(() => holds(stage, action.wait), JSON.stringify(action.wait));
  if ('create' in action) return createObject(stage.api, action.create);
  if ('delete' in action) {
    const options = {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      ...(action.grace !== undefined && { gracePeriodSeconds: action.grace }),
    };
    const path = pathOfNamed(scenario, { kind: action.kind, name: action.delete });
    return call(stage.api, { verb: 'delete', path, body: options });
  }
  if ('patch' in action) {
    const { patch, kind, subresource, body, type } = action;
    const path = `${pathOfNamed(scenario, { kind, name: patch })}${subresource === undefined ? '' : `/${subresource}`}`;
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

export const createObject = (api: ApiTransport, object: ApiObject): Promise<void> =>
  call(api, { verb: 'create', path: listPathOf(object), body: object });

/** Creates the namespaces of a scenario that do not exist yet. Every API server has the default namespace. */
export async function createNamespaces(api: ApiTransport, scenario: Scenario): Promise<void> {
  for (const name of namespacesOf(scenario)) {
    if (name === DEFAULT_NAMESPACE) continue;
    const body: ApiObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const outcome = await api.call({ verb: 'create', path: listPathOf(body), body, priority: 'object' }, API_CALL_MS);
    if (!outcome.ok && !JSON.stringify(outcome.fault).includes('AlreadyExists'))
      throw new Error(`create namespace ${name}: ${JSON.stringify(outcome.fault)}`);
  }
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
