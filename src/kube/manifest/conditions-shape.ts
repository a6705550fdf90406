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
/** Of a pod, a node or a request: each kind fills in some of the times. */
export const conditions = list(condition);
