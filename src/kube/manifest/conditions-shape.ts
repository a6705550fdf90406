import { list, object } from './decode-shape.ts';

const condition = object({
  type: 'string',
  status: 'string',
  reason: 'string',
  message: 'string',
  lastTransitionTime: 'string',
  lastProbeTime: 'string',
  lastHeartbeatTime: 'string',
  lastUpdateTime: 'string',
  observedGeneration: 'int',
});
/** The conditions of a pod, a node or a request. Each kind has some of the times. */
export const conditions = list(condition);
