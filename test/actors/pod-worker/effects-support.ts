import type { ObservedPod } from '../../../actors/pleg/protocol.ts';
import { Round } from '../../../actors/pod-worker/act/sync-attempt.ts';
import type { PodWorkerTools } from '../../../actors/pod-worker/tools.ts';
import type { PodEvent } from '../../../actors/pod-worker/worker-state.ts';
import type { Touched } from '../../../actors/pod-worker/protocol.ts';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import type { Pod } from '../../../src/kube/pod.ts';
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

/** What the effects stand on, all of it written down. */
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
  };
  const round = (pod: Pod): Round => new Round(pod, tools, new Map());
  /** The events as `reason: message`. */
  const said = (): readonly string[] => events.map(({ reason, message }) => `${reason}: ${message}`);
  return { cri, clock, files, cgroups, weights, volumes, events, looks, seen, tools, round, said };
}

export const observedAs = (status: ObservedPod['status']): CriOutcome<ObservedPod> => ({
  ok: true,
  value: { status, observedAt: 1, revision: 1 },
});

/** Nothing to do, unless said otherwise. */
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
