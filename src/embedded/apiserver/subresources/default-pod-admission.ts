import type { Pod, PodSpec, Toleration } from '../../../kube/pod.ts';
import { membersOf } from '../store/api-object.ts';
import type { ApiObject } from '../store/api-object.ts';
import type { KindContext } from '../store/api-kind.ts';
import { forbidden } from '../store/refusal.ts';

const subjectOf = ({ metadata }: Pod) => ({
  group: '',
  resource: 'pods',
  // The shape has this member; the type of a pod, which a node reads, does not.
  name: metadata.name || (metadata as { generateName?: string }).generateName || '',
});

/** Applies the default admission plugins of API servers to a new pod, as far as a node can see the result. */
export function admitPod(pod: Pod, context: KindContext): Pod {
  const steps = [
    ...(context.serviceAccountAdmission ? [withServiceAccount] : []),
    withRuntimeClass,
    withPriority,
    withNodeTroubleTolerations,
  ];
  return steps.reduce((admitted, step) => step(admitted, context), pod);
}

/** Admission of a pod that is replaced by its manifest: the same additions, with the priority that it has. */
export function admitPodUpdate(pod: Pod, old: Pod): Pod {
  const { priority, preemptionPolicy, priorityClassName } = old.spec;
  const kept = withSpec(pod, {
    ...(pod.spec.priority === undefined && priority !== undefined && { priority }),
    ...(pod.spec.preemptionPolicy === undefined && preemptionPolicy !== undefined && { preemptionPolicy }),
    ...(pod.spec.priorityClassName === undefined && priorityClassName !== undefined && { priorityClassName }),
  });
  return withNodeTroubleTolerations(kept);
}

const withSpec = (pod: Pod, changes: Partial<PodSpec>): Pod => ({ ...pod, spec: { ...pod.spec, ...changes } });

const isMirror = ({ metadata }: Pod): boolean => metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;

/** Plugin Priority: the class sets the number; without a class the default class does, or else 0. */
function withPriority(pod: Pod, { get, list }: KindContext): Pod {
  const { priorityClassName, priority } = pod.spec;
  const found = priorityClassName
    ? get('priorityclasses.scheduling.k8s.io', undefined, priorityClassName)
    : defaultPriorityClass(list('priorityclasses.scheduling.k8s.io'));
  if (priorityClassName && !found)
    throw forbidden(subjectOf(pod), `no PriorityClass with name ${priorityClassName} was found`);
  const computed = Number(found?.['value'] ?? 0);
  if (priority !== undefined && priority !== computed) {
    const why =
      `the integer value of priority (${priority}) must not be provided in pod spec; ` +
      `priority admission controller computed ${computed} from the given PriorityClass name`;
    throw forbidden(subjectOf(pod), why);
  }
  const policy = found?.['preemptionPolicy'];
  const name = found?.metadata.name;
  return withSpec(pod, {
    priority: computed,
    preemptionPolicy: pod.spec.preemptionPolicy ?? (typeof policy === 'string' ? policy : 'PreemptLowerPriority'),
    ...(name !== undefined && { priorityClassName: name }),
  });
}

function defaultPriorityClass(classes: Iterable<ApiObject>): ApiObject | undefined {
  for (const each of classes) if (each['globalDefault'] === true) return each;
  return undefined;
}

const TROUBLES = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'] as const;

/** Plugin DefaultTolerationSeconds: five minutes on a node in trouble, unless the pod has its own toleration. */
function withNodeTroubleTolerations(pod: Pod): Pod {
  const tolerations = pod.spec.tolerations ?? [];
  const says = (key: string): boolean =>
    tolerations.some((each) => (!each.key || each.key === key) && (!each.effect || each.effect === 'NoExecute'));
  const added: Toleration[] = TROUBLES.filter((key) => !says(key)).map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: 300,
  }));
  return added.length === 0 ? pod : withSpec(pod, { tolerations: [...tolerations, ...added] });
}

/** Plugin RuntimeClass: the class's overhead and placement become the pod's. */
function withRuntimeClass(pod: Pod, { get }: KindContext): Pod {
  const name = pod.spec.runtimeClassName;
  if (!name) return pod;
  const found = get('runtimeclasses.node.k8s.io', undefined, name);
  if (!found) throw forbidden(subjectOf(pod), `pod rejected: RuntimeClass "${name}" not found`);
  // The shape of stored runtime classes has been checked.
  const overhead = membersOf(found['overhead'], 'podFixed') as NonNullable<PodSpec['overhead']>;
  const nodeSelector = membersOf(found['scheduling'], 'nodeSelector') as Readonly<Record<string, string>>;
  return withSpec(pod, {
    ...(Object.keys(overhead).length > 0 && { overhead }),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector: { ...pod.spec.nodeSelector, ...nodeSelector } }),
  });
}

/** Plugin ServiceAccount: the account and the volume with its token. Mirror pods stay as the node wrote them. */
function withServiceAccount(pod: Pod, { get }: KindContext): Pod {
  if (isMirror(pod)) return pod;
  const name = pod.spec.serviceAccountName || 'default';
  const account = get('serviceaccounts', pod.metadata.namespace, name);
  if (!account) {
    const missing = `error looking up service account ${pod.metadata.namespace}/${name}: serviceaccount "${name}" not found`;
    throw forbidden(subjectOf(pod), missing);
  }
  const named = withSpec(pod, {
    serviceAccountName: name,
    serviceAccount: name,
    ...(pod.spec.imagePullSecrets === undefined &&
      Array.isArray(account['imagePullSecrets']) && {
        // The shape of stored accounts has been checked.
        imagePullSecrets: account['imagePullSecrets'] as readonly { readonly name?: string }[],
      }),
  });
  const mounts = pod.spec.automountServiceAccountToken ?? account['automountServiceAccountToken'] ?? true;
  return mounts === true ? withTokenVolume(named) : named;
}

const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

function withTokenVolume(pod: Pod): Pod {
  const { volumes = [], containers, initContainers } = pod.spec;
  const volume = 'kube-api-access';
  const mounted = <Mounting extends PodSpec['containers'][number]>(container: Mounting): Mounting =>
    container.volumeMounts?.some(({ mountPath }) => mountPath === TOKEN_FOLDER)
      ? container
      : {
          ...container,
          volumeMounts: [...(container.volumeMounts ?? []), { name: volume, readOnly: true, mountPath: TOKEN_FOLDER }],
        };
  const sources = [
    { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ];
  return withSpec(pod, {
    volumes: [...volumes, { name: volume, projected: { defaultMode: 0o644, sources } }],
    containers: containers.map(mounted),
    ...(initContainers && { initContainers: initContainers.map(mounted) }),
  });
}
