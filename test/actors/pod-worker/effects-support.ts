import type { ObservedPod } from '../../../actors/pleg/protocol.ts';
import { SyncAttempt, type DecidedActions } from '../../../actors/pod-worker/act/sync-attempt.ts';
import type { ContainerResult } from '../../../actors/pod-worker/decide/step-result.ts';
import { NO_RESIZING } from '../../../actors/pod-worker/decide/resizing.ts';
import type { PodWorkerTools } from '../../../actors/pod-worker/tools.ts';
import type { PodEvent } from '../../../actors/pod-worker/worker-state.ts';
import type { Touched } from '../../../actors/pod-worker/protocol.ts';
import { ensureImage } from '../../../actors/pod-worker/act/ensure-image.ts';
import { attemptOutcome } from '../../../actors/pod-worker/decide/attempt-outcome.ts';
import { PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import type { Container, Pod } from '../../../src/kube/pod.ts';
import type { FailedPull } from '../../../src/pod/image/image-pull-decision.ts';
import type { PodActions } from '../../../src/pod/sync/pod-actions.ts';
import { goldenNode } from '../../pod/cri-config/golden-case.ts';
import { NOW, runtime, sandbox } from '../../pod/pods.ts';
import { FakeCriClient } from '../../support/fake-cri-client.ts';
import { FakeVolumes } from '../../support/fake-volumes.ts';
import { MemoryCgroups } from '../../support/memory-cgroups.ts';
import { FakePodFiles } from '../../support/fake-pod-files.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { sandboxId } from '../../../src/kube/ids.ts';

export const node = { ...goldenNode, rootDir: '/var/lib/kubelet', podLogsDir: '/var/log/pods', managesCgroups: true };

export const hostIps: readonly string[] = ['{{HOSTIP}}'];

/** Fake tools for the effects, which record every call. */
export function fakeTools(cri = new FakeCriClient()) {
  const clock = manualClock(NOW);
  const files = new FakePodFiles();
  const cgroups = new MemoryCgroups();
  const weights: bigint[] = [];
  const events: PodEvent[] = [];
  const looks: Touched[] = [];
  const seen: { next: CriOutcome<ObservedPod> } = {
    next: observedAs(runtime({ sandboxes: [sandbox({ id: sandboxId('new-sandbox-1') })] })),
  };
  const volumes = new FakeVolumes();
  const tools: PodWorkerTools = {
    node,
    clock,
    runtime: { cri, requestTimeoutMs: 120_000 },
    host: { files, cgroups, legacyLogsDir: '/var/log/containers' },
    volumes,
    observe: async (touched) => {
      looks.push(touched);
      return seen.next;
    },
    reports: {
      event: (event) => void events.push(event),
      podWeight: (burstableMilliCpu) => void weights.push(burstableMilliCpu),
    },
    stops: { preStopHooks: new Map(), containers: new Map() },
    hostIps: () => hostIps,
    hostNetworkIps: () => hostIps,
  };
  const attempt = (pod: Pod, decided?: Partial<DecidedActions>, progress?: Progress): SyncAttempt =>
    attemptWith(tools, { pod, ...decided }, progress);
  /** The events as `reason: message`. */
  const said = (): readonly string[] => events.map(({ reason, message }) => `${reason}: ${message}`);
  return { cri, clock, files, cgroups, weights, volumes, events, looks, seen, tools, attempt, said };
}

/** Returns the outcome of an attempt whose only step is the image of the container `main`. */
export async function ensured(
  attempt: SyncAttempt,
  main: Container,
  failedPulls: ReadonlyMap<string, FailedPull> = new Map(),
) {
  const { image, pull } = await ensureImage(attempt, main, { sandbox: PodSandboxConfig.fromPartial({}), failedPulls });
  const result: ContainerResult = {
    type: 'container',
    name: 'main',
    ...(pull && { pulls: [pull] }),
    ...(!image.ok && { stop: image.stop }),
  };
  const outcome = attemptOutcome(failedPulls, [result]);
  return { image: image.ok ? image.value : undefined, outcome, failure: outcome.failures.get('main') };
}

type Progress = (observed: ObservedPod) => void;

/** An attempt with nothing to do by default. */
export const attemptWith = (
  tools: PodWorkerTools,
  decided: Partial<DecidedActions> & Pick<DecidedActions, 'pod'>,
  progress: Progress = () => {},
): SyncAttempt =>
  new SyncAttempt(
    {
      runtime: runtime(),
      actions: actions(),
      memory: { failedPulls: new Map(), failures: new Map() },
      unfinishedHook: undefined,
      restarts: new Map(),
      observedAt: undefined,
      resizing: NO_RESIZING,
      ...decided,
    },
    tools,
    progress,
  );

export const observedAs = (status: ObservedPod['status']): CriOutcome<ObservedPod> => ({
  ok: true,
  value: { status, observedAt: 1, revision: 1 },
});

/** Actions with nothing to do by default. */
export const actions = (parts: Partial<PodActions> = {}): PodActions => ({
  killPod: false,
  createSandbox: false,
  attempt: 0,
  sandboxId: sandboxId('sandbox-0'),
  initContainersToStart: [],
  containersToStart: [],
  ephemeralContainersToStart: [],
  containersToKill: [],
  containersToResize: [],
  containersToReset: [],
  ...parts,
});
