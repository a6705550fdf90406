import { isSidecar } from '../../../src/kube/pod-resources.ts';
import type { ContainerId } from '../../../src/kube/ids.ts';
import type { Container, ContainerStatus, Pod, PodStatus, Probe } from '../../../src/kube/pod.ts';
import { latestContainer } from '../../../src/pod/values/latest-container.ts';
import { hostNetworkPodIps, podIpsOf } from '../../../src/pod/status/pod-ips.ts';
import { idOfContainer, type ProbeVerdicts } from '../../../src/pod/values/probe-readiness.ts';
import type { RuntimeContainer } from '../../../src/pod/values/runtime-pod-status.ts';
import { handlerTarget } from '../../../src/probing/probe-target.ts';
import type {
  ContainerVerdicts,
  ProbedContainer,
  ProbedPod,
  ProbeKind,
  ProbeResult,
  ProbeSpec,
} from '../../probe-manager/protocol.ts';
import type { Decision, Moment, NodeSettings, PodProbes, PodWorkerState } from '../worker-state.ts';

type At = Moment & NodeSettings;

export const NO_PROBES: PodProbes = { verdicts: new Map(), lastReport: undefined };

/** Returns the verdicts in the form that the pod rules use. */
export const verdictsOf = ({ verdicts }: PodProbes): ProbeVerdicts => ({
  startup: (id) => verdicts.get(id)?.startup,
  liveness: (id) => verdicts.get(id)?.liveness,
  readiness: (id) => verdicts.get(id)?.readiness,
});

/** Records a verdict on a container. Verdicts on containers that the runtime no longer holds are dropped. */
export function withVerdict(state: PodWorkerState, { containerId, kind, verdict }: ProbeResult): PodWorkerState {
  const held = state.observed?.status.containers;
  const verdicts = new Map(
    [...state.probes.verdicts].filter(([id]) => held === undefined || held.some((container) => container.id === id)),
  );
  verdicts.set(containerId, { ...verdicts.get(containerId), [kind]: verdict });
  return { ...state, probes: { ...state.probes, verdicts } };
}

/** Adds the message to the probe manager: containers that started or ended, repeated at intervals. */
export function withProbes({ next, effects }: Decision, at: At): Decision {
  const { phase, probes, observed, statusKnown } = next;
  if (phase.type === 'waiting-for-pod') return { next, effects };
  const pod = phase.type === 'syncing' ? phase.pod : phase.target.pod;
  if (pod === undefined || !isProbed(pod)) return { next, effects };
  if (phase.type === 'terminated') {
    if (probes.lastReport === undefined) return { next, effects };
    return { next: { ...next, probes: NO_PROBES }, effects: [...effects, { type: 'forget-probes' }] };
  }
  if (observed === undefined || !statusKnown) return { next, effects };
  const running = probedAndRunning(next, pod);
  const ip = podIp(next, pod);
  const text = `${phase.type} ${ip} ${running.map(({ record }) => record.id).join(' ')}`;
  const { lastReport } = probes;
  const isRepeated =
    lastReport !== undefined &&
    lastReport.text === text &&
    lastReport.pod === pod &&
    at.monotonic - lastReport.at < at.syncFrequencyMs;
  // Nothing runs yet, and the probe manager has no other information.
  if (isRepeated || (lastReport === undefined && running.length === 0)) return { next, effects };
  const probed = probedPod(next, pod, { running, ip });
  return {
    next: { ...next, probes: { ...probes, lastReport: { text, pod, at: at.monotonic } } },
    effects: [...effects, { type: 'probe', pod: probed }],
  };
}

const isProbed = ({ spec }: Pod): boolean =>
  spec.containers.some(hasProbe) || (spec.initContainers?.some(hasProbe) ?? false);

const hasProbe = ({ startupProbe, livenessProbe, readinessProbe }: Container): boolean =>
  (startupProbe ?? livenessProbe ?? readinessProbe) !== undefined;

function podIp({ observed, status, hostIps }: PodWorkerState, pod: Pod): string {
  const known = status?.podIPs?.map(({ ip }) => ip) ?? [];
  const ips =
    pod.spec.hostNetwork === true ? hostNetworkPodIps(known, hostIps) : podIpsOf(observed?.status.ips ?? [], hostIps);
  return ips[0] ?? '';
}

interface Running {
  readonly container: Container;
  readonly record: RuntimeContainer;
  readonly fieldPath: string;
}

/** Regular containers and sidecars. Other init containers end, and have no probes. */
function probedAndRunning({ observed }: PodWorkerState, { spec }: Pod): readonly Running[] {
  const lists = [
    ['initContainers', (spec.initContainers ?? []).filter(isSidecar)],
    ['containers', spec.containers],
  ] as const;
  return lists.flatMap(([list, containers]) =>
    containers.flatMap((container) => {
      const record = observed === undefined ? undefined : latestContainer(observed.status, container.name);
      if (record?.state !== 'running' || !hasProbe(container)) return [];
      return [{ container, record, fieldPath: `spec.${list}{${container.name}}` }];
    }),
  );
}

function probedPod(
  { phase, probes, status }: PodWorkerState,
  pod: Pod,
  { running, ip }: { readonly running: readonly Running[]; readonly ip: string },
): ProbedPod {
  const { uid, name, namespace } = pod.metadata;
  return {
    // A worker's pod has the UID that the worker was started for.
    podUid: uid as ProbedPod['podUid'],
    name,
    namespace,
    containers: running.map(({ container, record, fieldPath }): ProbedContainer => {
      const { id, startedAt } = record;
      const known = probes.verdicts.get(id);
      return {
        id,
        name: container.name,
        fieldPath,
        startedAt,
        probes: probeSpecs(container, ip).filter(({ kind }) => phase.type === 'syncing' || kind === 'readiness'),
        verdicts: { ...reportedVerdicts(status ?? pod.status, id), ...known },
      };
    }),
  };
}

/**
 * Verdicts on this very instance in the last status. A restarted agent starts from them, so no container loses ready or
 * started before a probe reports.
 */
function reportedVerdicts(status: PodStatus | undefined, id: ContainerId): ContainerVerdicts {
  const all: readonly ContainerStatus[] = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
  ];
  const reported = all.find((each) => idOfContainer(each) === id);
  if (reported?.started !== true) return {};
  return { startup: 'success', ...(reported.ready ? { readiness: 'success' } : {}) };
}

const KINDS = [
  ['startup', 'startupProbe'],
  ['liveness', 'livenessProbe'],
  ['readiness', 'readinessProbe'],
] as const satisfies readonly (readonly [ProbeKind, keyof Container])[];

function probeSpecs(container: Container, ip: string): readonly ProbeSpec[] {
  return KINDS.flatMap(([kind, member]) => {
    const probe: Probe | undefined = container[member];
    if (probe === undefined) return [];
    return [
      {
        kind,
        target: handlerTarget(container, probe, ip),
        initialDelaySeconds: probe.initialDelaySeconds ?? 0,
        periodSeconds: probe.periodSeconds ?? 10,
        timeoutSeconds: probe.timeoutSeconds ?? 1,
        successThreshold: probe.successThreshold ?? 1,
        failureThreshold: probe.failureThreshold ?? 3,
      },
    ];
  });
}
