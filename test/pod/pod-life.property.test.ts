import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { podUid, sandboxId } from '../../src/kube/ids.ts';
import type { Container, Pod, PodStatus, RestartPolicy } from '../../src/kube/pod.ts';
import { apiPodStatus, isTerminalPhase } from '../../src/pod/status/api-status.ts';
import { computePodActions } from '../../src/pod/sync/compute-pod-actions.ts';
import { isIdle } from '../../src/pod/sync/pod-actions.ts';
import type { PodActions } from '../../src/pod/sync/pod-actions.ts';
import type { RuntimeContainer, RuntimePodStatus, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';
import { runtimePodStatus } from '../../src/pod/status/runtime-status-from-cri.ts';
import { mergeStatus } from '../../src/pod/status/merge-with-previous.ts';
import { terminateStatus } from '../../src/pod/status/terminate-status.ts';
import { NOW, container, pod, record, sandbox, sidecar } from './pods.ts';

const policies: RestartPolicy[] = ['Always', 'OnFailure', 'Never'];
const anyPod: fc.Arbitrary<Pod> = fc
  .record({
    restartPolicy: fc.constantFrom(...policies),
    init: fc.array(fc.boolean(), { maxLength: 3 }),
    regular: fc.integer({ min: 1, max: 2 }),
    ephemeral: fc.nat(1),
  })
  .map(({ restartPolicy, init, regular, ephemeral }) =>
    pod({
      restartPolicy,
      initContainers: init.map((isSidecar, index) => (isSidecar ? sidecar(`i${index}`) : container(`i${index}`))),
      containers: ['a', 'b'].slice(0, regular).map((name) => container(name)),
      ephemeralContainers: ephemeral === 1 ? [container('dbg')] : [],
    }),
  );

const anyRecord = (name: string): fc.Arbitrary<RuntimeContainer> =>
  fc
    .record({
      state: fc.constantFrom('created', 'running', 'exited', 'unknown'),
      attempt: fc.nat(3),
      exitCode: fc.constantFrom(0, 1, 137),
      isOld: fc.nat(4),
    })
    .map(({ state, attempt, exitCode, isOld }) =>
      record(name, state, {
        attempt,
        exitCode: state === 'exited' ? exitCode : 0,
        ...(isOld === 0 && { hash: 'old' }),
      }),
    );
const anyContainers = fc
  .tuple(...['i0', 'i1', 'i2', 'a', 'b', 'dbg'].map((name) => fc.array(anyRecord(name), { maxLength: 2 })))
  .map((lists) => [...new Map(lists.flat().map((each) => [each.id, each])).values()]);
const anySandboxes: fc.Arbitrary<RuntimeSandbox[]> = fc
  .array(fc.record({ state: fc.constantFrom('ready', 'not-ready'), ip: fc.constantFrom('', '10.0.0.7', undefined) }), {
    maxLength: 2,
  })
  .map((list) => list.map((parts, attempt) => sandbox({ attempt, ...parts })));

const observed = (containers: readonly RuntimeContainer[], sandboxes: readonly RuntimeSandbox[]): RuntimePodStatus =>
  runtimePodStatus({ uid: podUid('uid-1'), name: 'web', namespace: 'shop', sandboxes, containers });
const anyObservation = fc
  .tuple(anyContainers, anySandboxes)
  .map(([containers, sandboxes]) => observed(containers, sandboxes));

/** Applies a sync's actions: a model of a runtime in which every call succeeds. */
function performed(given: Pod, status: RuntimePodStatus, actions: PodActions): RuntimePodStatus {
  const inits = new Set(given.spec.initContainers?.map(({ name }) => name));
  const killed = new Set(actions.containersToKill.map(({ id }) => id));
  let containers = status.containers.map((each) =>
    each.state !== 'exited' && (killed.has(each.id) || (actions.killPod && each.state === 'running'))
      ? { ...each, state: 'exited' as const, exitCode: 143 }
      : each,
  );
  if (actions.createSandbox) containers = containers.filter(({ name }) => !inits.has(name));
  const stopped = status.sandboxes.map((each) => ({ ...each, state: 'not-ready' as const }));
  const fresh = sandbox({ attempt: actions.attempt, id: sandboxId(`new-${actions.attempt}`) });
  const sandboxes = actions.createSandbox ? [...stopped, fresh] : actions.killPod ? stopped : status.sandboxes;

  const started = (list: readonly Container[] | undefined, indices: readonly number[]): RuntimeContainer[] =>
    indices.map((index) => {
      const { name } = list?.[index] ?? container('none');
      const attempt = 1 + Math.max(-1, ...containers.filter((each) => each.name === name).map((each) => each.attempt));
      const parts = { attempt, createdAt: NOW + 100_000 + attempt, sandboxId: sandboxes.at(-1)?.id };
      return record(name, 'running', parts);
    });
  const { spec } = given;
  return observed(
    [
      ...containers,
      ...started(spec.initContainers, actions.initContainersToStart),
      ...started(spec.containers, actions.containersToStart),
      ...started(spec.ephemeralContainers, actions.ephemeralContainersToStart),
    ],
    sandboxes,
  );
}

const statusAfter = (given: Pod, runtime: RuntimePodStatus, previous: PodStatus | undefined): PodStatus =>
  apiPodStatus({
    pod: given,
    runtime,
    runtimeName: 'containerd',
    hostIps: ['192.0.2.1'],
    now: NOW,
    ...(previous && { previous }),
  });

describe('any pod and any runtime state', () => {
  it('repeated syncs settle', () => {
    fc.assert(
      fc.property(anyPod, anyObservation, (given, start) => {
        let status = start;
        // One observation for the sandbox, and one for each container that waits for the container before it.
        const atMost = 3 + (given.spec.initContainers?.length ?? 0);
        for (let sync = 0; sync < atMost; sync += 1) {
          const actions = computePodActions({ pod: given, status });
          const isOver = actions.killPod && !actions.createSandbox;
          if (isIdle(actions) || isOver) return;
          status = performed(given, status, actions);
        }
        expect(computePodActions({ pod: given, status })).toSatisfy(isIdle);
      }),
    );
  });

  it('nothing is started twice, and a running container is only restarted after a kill', () => {
    fc.assert(
      fc.property(anyPod, anyObservation, (given, status) => {
        const actions = computePodActions({ pod: given, status });
        const killed = new Set(actions.containersToKill.map(({ name }) => name));
        for (const [list, indices] of [
          [given.spec.initContainers, actions.initContainersToStart],
          [given.spec.containers, actions.containersToStart],
        ] as const) {
          expect(indices).toEqual([...new Set(indices)].toSorted((a, b) => a - b));
          for (const index of indices) {
            const name = list?.[index]?.name ?? '';
            const runs = status.containers.find((each) => each.name === name)?.state === 'running';
            expect(!runs || killed.has(name) || actions.killPod).toBe(true);
          }
        }
      }),
    );
  });

  it('the order in which the runtime lists things does not matter', () => {
    fc.assert(
      fc.property(anyPod, anyContainers, anySandboxes, (given, containers, sandboxes) => {
        const [one, other] = [
          observed(containers, sandboxes),
          observed(containers.toReversed(), sandboxes.toReversed()),
        ];
        expect(other).toEqual(one);
        expect(computePodActions({ pod: given, status: other })).toEqual(
          computePodActions({ pod: given, status: one }),
        );
      }),
    );
  });

  it('no phase leaves its end, no restart is forgotten, no ended container is ready', () => {
    fc.assert(
      fc.property(anyPod, fc.array(anyObservation, { minLength: 1, maxLength: 5 }), (given, seen) => {
        let before: PodStatus | undefined;
        for (const runtime of seen) {
          const after = statusAfter(given, runtime, before);
          expect(after.phase).toBe(isTerminalPhase(before?.phase) ? before.phase : after.phase);
          for (const { name, restartCount } of before?.containerStatuses ?? []) {
            const now = after.containerStatuses?.find((status) => status.name === name);
            expect(now?.restartCount).toBeGreaterThanOrEqual(restartCount);
          }
          const ready = after.conditions?.find(({ type }) => type === 'Ready');
          expect(isTerminalPhase(after.phase) && ready?.status !== 'False').toBe(false);
          before = after;
        }
        expect(terminateStatus(given, before ?? {}).phase).toSatisfy(isTerminalPhase);
      }),
    );
  });

  it('two statuses of the same observation are equal', () => {
    fc.assert(
      fc.property(anyPod, anyObservation, (given, runtime) => {
        const settled = statusAfter(given, runtime, statusAfter(given, runtime, undefined));
        const merged = mergeStatus({ pod: given, cached: undefined, next: settled, now: NOW });
        if (merged.type === 'rejected') throw new Error(merged.message);
        const again = statusAfter(given, runtime, merged.status);
        expect(mergeStatus({ pod: given, cached: merged.status, next: again, now: NOW + 5000 })).toEqual({
          type: 'unchanged',
          status: merged.status,
        });
      }),
    );
  });
});
