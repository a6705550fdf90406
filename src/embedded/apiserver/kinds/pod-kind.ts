import { defaultPod } from '../../../kube/manifest/default-pod.ts';
import type { Shape } from '../../../kube/manifest/decode-shape.ts';
import { podShape } from '../../../kube/manifest/pod-shape.ts';
import { podStatusShape } from '../../../kube/manifest/pod-status-shape.ts';
import { object } from '../../../kube/manifest/decode-shape.ts';
import type { Pod } from '../../../kube/pod.ts';
import { qosClass } from '../../../pod/values/qos.ts';
import type { ApiObject } from '../store/api-object.ts';
import { membersOf, textOf as text } from '../store/api-object.ts';
import { admitPod, admitPodUpdate } from '../subresources/default-pod-admission.ts';
import { podProblems, podUpdateProblems } from '../subresources/pod-validation.ts';
import { metadataShape } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

// Pods of the store have the shape of a Pod: it is checked with each write.
export const asPod = (object: ApiObject): Pod => object as unknown as Pod;
export const asObject = (pod: Pod): ApiObject => pod as unknown as ApiObject;

const specShape: Shape = podShape.object.get('spec') ?? 'any';

const statusOf = (object: ApiObject) => membersOf(object, 'status');
const specOf = (object: ApiObject) => membersOf(object, 'spec');

export const podKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'Pod',
  resource: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  shape: object({
    apiVersion: 'string',
    kind: 'string',
    metadata: metadataShape,
    spec: specShape,
    status: podStatusShape,
  }),
  hasStatus: true,
  hasGeneration: true,
  fields: {
    'spec.nodeName': (pod) => text(specOf(pod)['nodeName']),
    'spec.restartPolicy': (pod) => text(specOf(pod)['restartPolicy']),
    'spec.schedulerName': (pod) => text(specOf(pod)['schedulerName']),
    'spec.serviceAccountName': (pod) => text(specOf(pod)['serviceAccountName']),
    'spec.hostNetwork': (pod) => String(specOf(pod)['hostNetwork'] === true),
    'status.phase': (pod) => text(statusOf(pod)['phase']),
    'status.podIP': (pod) => text(statusOf(pod)['podIP']),
    'status.podIPs': (pod) => text(statusOf(pod)['podIP']),
    'status.nominatedNodeName': (pod) => text(statusOf(pod)['nominatedNodeName']),
  },
  rules: {
    prepareCreate: (object, context) => {
      const admitted = admitPod(
        defaultPod({ ...asPod(object), spec: asPod(object).spec ?? { containers: [] } }),
        context,
      );
      return asObject({ ...admitted, status: { phase: 'Pending', qosClass: qosClass(admitted) } });
    },
    prepareUpdate: (object, old) => asObject(admitPodUpdate(defaultPod(asPod(object)), asPod(old))),
    prepareStatus: withWholeStates,
    validate: podProblems,
    validateUpdate: podUpdateProblems,
    gracePeriodSeconds: podGracePeriod,
  },
});

const STATUS_LISTS = ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const;

/** Every container has a state and a last state, if only an empty one: these members are never absent. */
function withWholeStates(pod: ApiObject): ApiObject {
  const status: Record<string, unknown> = { ...statusOf(pod) };
  for (const list of STATUS_LISTS) {
    const containers = status[list];
    if (!Array.isArray(containers)) continue;
    status[list] = containers.map((each: object) =>
      'state' in each && 'lastState' in each ? each : { state: {}, lastState: {}, ...each },
    );
  }
  return { ...pod, status };
}

/** A pod without a node, or one that has ended, needs no grace period. */
function podGracePeriod(object: ApiObject, asked: number | undefined): number {
  const { spec, status } = asPod(object);
  if (!spec.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
  const period = asked ?? spec.terminationGracePeriodSeconds ?? 30;
  return period < 0 ? 1 : period;
}
