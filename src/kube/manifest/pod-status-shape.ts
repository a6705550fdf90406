import { conditions } from './conditions-shape.ts';
import { list, map, object } from './decode-shape.ts';

const state = object({
  waiting: object({ reason: 'string', message: 'string' }),
  running: object({ startedAt: 'string' }),
  terminated: object({
    exitCode: 'int',
    signal: 'int',
    reason: 'string',
    message: 'string',
    startedAt: 'string',
    finishedAt: 'string',
    containerID: 'string',
  }),
});

const resources = object({
  limits: map('quantity'),
  requests: map('quantity'),
  claims: list(object({ name: 'string', request: 'string' })),
});

const containerStatus = object({
  name: 'string',
  state,
  lastState: state,
  ready: 'bool',
  restartCount: 'int',
  image: 'string',
  imageID: 'string',
  containerID: 'string',
  started: 'bool',
  allocatedResources: map('quantity'),
  resources,
  volumeMounts: list(
    object({ name: 'string', mountPath: 'string', readOnly: 'bool', recursiveReadOnly: 'string', volumeStatus: 'any' }),
  ),
  user: object({ linux: object({ uid: 'int', gid: 'int', supplementalGroups: list('int') }) }),
  allocatedResourcesStatus: list('any'),
  stopSignal: 'string',
});

/** core/v1 PodStatus. */
export const podStatusShape = object({
  observedGeneration: 'int',
  phase: 'string',
  conditions,
  message: 'string',
  reason: 'string',
  nominatedNodeName: 'string',
  hostIP: 'string',
  hostIPs: list(object({ ip: 'string' })),
  podIP: 'string',
  podIPs: list(object({ ip: 'string' })),
  startTime: 'string',
  initContainerStatuses: list(containerStatus),
  containerStatuses: list(containerStatus),
  ephemeralContainerStatuses: list(containerStatus),
  qosClass: 'string',
  resize: 'string',
  resourceClaimStatuses: list(object({ name: 'string', resourceClaimName: 'string' })),
  extendedResourceClaimStatus: 'any',
  allocatedResources: map('quantity'),
  resources,
});
