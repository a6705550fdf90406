import { PodLists } from '../../../actors/pleg/list-delta.ts';
import { resultFromEvent } from '../../../actors/pleg/inspect.ts';
import type { ListDelta } from '../../../actors/pleg/runtime-lists.ts';
import { PodRecords, type Change, type InspectionResult, type ToInspect } from '../../../actors/pleg/pod-records.ts';
import { containerId, podUid, sandboxId, type PodUid } from '../../../src/kube/ids.ts';
import { runtimeContainer, runtimeSandbox } from '../../../src/pod/status/runtime-status-from-cri.ts';
import { FakeCri } from '../../support/fake-cri.ts';

/** Records beside a simulated runtime. Each step advances the clock. */
export class RecordsOfRuntime {
  readonly cri = new FakeCri();
  readonly records = new PodRecords();
  readonly #lists = new PodLists();
  now = 0;

  /** The runtime's current list, which may be applied later. */
  list(): { readonly at: number; readonly sandboxes: Uint8Array; readonly containers: Uint8Array } {
    return { at: ++this.now, sandboxes: this.cri.listSandboxes(), containers: this.cri.listContainers() };
  }

  takeList(list = this.list()): readonly ToInspect[] {
    const delta = this.#lists.delta(list, this.records.inDoubt);
    if ('code' in delta) throw new Error(delta.detail);
    return this.records.toInspect(delta satisfies ListDelta);
  }

  /** The current result of an inspection, which may be applied later. */
  inspect({ podUid: uid, name, namespace, sandboxes, containers }: ToInspect, at = ++this.now): InspectionResult {
    return {
      podUid: uid,
      name,
      namespace,
      at,
      sandboxes: sandboxes.map((id) => {
        const status = this.cri.sandboxStatus(id);
        return [id, status && runtimeSandbox(status)] as const;
      }),
      containers: containers.map(([id, sandbox]) => {
        const status = this.cri.containerStatus(id);
        return [id, status && runtimeContainer(status, sandbox)] as const;
      }),
    };
  }

  takeInspection(asked: ToInspect, inspection = this.inspect(asked)): Change {
    this.records.inspectionEnded(asked);
    return this.records.take(inspection, 'inspection');
  }

  /** A whole relist, all of whose inspections succeed at once. */
  relist(): readonly Change[] {
    return this.takeList().map((asked) => this.takeInspection(asked));
  }

  /** An event of the instant `at`. */
  event(id: string, type: 'started' | 'stopped' | 'deleted', at = ++this.now): InspectionResult {
    const result = resultFromEvent(this.cri.event(id, type, at), { now: () => at, monotonic: () => at });
    if (typeof result === 'string') throw new Error(`the event is ${result}`);
    return result;
  }

  takeEvent(result: InspectionResult): Change {
    return this.records.take(result, 'event');
  }

  /** The recorded states and the true states, as `id state`. */
  get known(): readonly string[] {
    return this.records.names.flatMap(({ podUid: uid }) => this.statesOf(uid)).toSorted();
  }

  get actual(): readonly string[] {
    const sandboxes = [...this.cri.sandboxes].map(([id, { ready }]) => `${id} ${ready ? 'ready' : 'not-ready'}`);
    const containers = [...this.cri.containers].map(([id, { state }]) => `${id} ${STATES[state] ?? 'unknown'}`);
    return [...sandboxes, ...containers].toSorted();
  }

  statesOf(uid: PodUid): readonly string[] {
    const status = this.records.status(uid);
    return [...(status?.sandboxes ?? []), ...(status?.containers ?? [])].map(({ id, state }) => `${id} ${state}`);
  }
}

const STATES: Readonly<Record<number, string>> = { 0: 'created', 1: 'running', 2: 'exited' };

/** A request to inspect one container of pod `pod`. */
export const containerToInspect = (pod: string, id: string): ToInspect => ({
  podUid: podUid(pod),
  name: pod,
  namespace: 'default',
  sandboxes: [],
  containers: [[containerId(id), sandboxId(`${pod}-s`)]],
});
