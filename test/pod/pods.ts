import { containerId, podUid, sandboxId } from '../../src/kube/ids.ts';
import type { Container, ObjectMeta, Pod, PodSpec, PodStatus } from '../../src/kube/pod.ts';
import { containerHash } from '../../src/pod/values/container-hash.ts';
import type { ProbeVerdict, ProbeVerdicts } from '../../src/pod/values/probe-readiness.ts';
import { runtimePodStatus } from '../../src/pod/status/runtime-status-from-cri.ts';
import type { RuntimeContainer, RuntimePodStatus, RuntimeSandbox } from '../../src/pod/values/runtime-pod-status.ts';

// Builders with the members that matter to a case.

export const NOW = Date.UTC(2030, 0, 2, 3, 4, 5);

export interface PodParts extends Partial<PodSpec> {
  readonly metadata?: Partial<ObjectMeta>;
  readonly status?: PodStatus;
}

/** A pod, by default with one container `main`. */
export function pod({ metadata, status, ...spec }: PodParts = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', uid: 'uid-1', ...metadata },
    spec: { containers: [container('main')], ...spec },
    ...(status === undefined ? {} : { status }),
  };
}

export const container = (name: string, parts: Partial<Container> = {}): Container => ({
  name,
  image: 'registry.test/app:1',
  ...parts,
});

export const sidecar = (name: string, parts: Partial<Container> = {}): Container =>
  container(name, { restartPolicy: 'Always', ...parts });

export const sandbox = (parts: Partial<RuntimeSandbox> = {}): RuntimeSandbox => ({
  id: sandboxId(`sandbox-${parts.attempt ?? 0}`),
  attempt: 0,
  state: 'ready',
  createdAt: NOW,
  ip: '10.0.0.7',
  additionalIps: [],
  hostNetwork: false,
  ...parts,
});

/** A runtime record of a container that was made from `container(name)`. Later attempts are newer. */
export function record(
  name: string,
  state: RuntimeContainer['state'] = 'running',
  parts: Partial<RuntimeContainer> = {},
): RuntimeContainer {
  const attempt = parts.attempt ?? 0;
  return {
    id: containerId(`${name}-${attempt}`),
    name,
    sandboxId: sandboxId('sandbox-0'),
    attempt,
    state,
    createdAt: NOW + attempt * 1000,
    startedAt: state === 'created' ? 0 : NOW + attempt * 1000,
    finishedAt: state === 'exited' ? NOW + attempt * 1000 + 500 : 0,
    exitCode: 0,
    reason: state === 'exited' ? (parts.exitCode ? 'Error' : 'Completed') : '',
    message: '',
    image: 'registry.test/app:1',
    imageRef: 'sha256:1',
    logPath: `/var/log/pods/shop_web_uid-1/${name}/${attempt}.log`,
    hash: containerHash(container(name)),
    restartCount: attempt,
    annotations: {},
    ...parts,
  };
}

export const exited = (name: string, exitCode: number, parts: Partial<RuntimeContainer> = {}): RuntimeContainer =>
  record(name, 'exited', { exitCode, ...parts });

export interface RuntimeParts {
  readonly sandboxes?: readonly RuntimeSandbox[];
  readonly containers?: readonly RuntimeContainer[];
}

/** By default one ready sandbox and no container. */
export const runtime = ({ sandboxes = [sandbox()], containers = [] }: RuntimeParts = {}): RuntimePodStatus =>
  runtimePodStatus({ uid: podUid('uid-1'), name: 'web', namespace: 'shop', sandboxes, containers });

/** Verdicts by container id. */
export function verdicts(
  known: Partial<Record<keyof ProbeVerdicts, Readonly<Record<string, ProbeVerdict>>>>,
): ProbeVerdicts {
  return {
    liveness: (id) => known.liveness?.[id],
    readiness: (id) => known.readiness?.[id],
    startup: (id) => known.startup?.[id],
  };
}
