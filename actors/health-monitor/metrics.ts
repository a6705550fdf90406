import type { FamilySpec } from '../../src/metrics/metric-families.ts';

export const FAILING_DUTIES: FamilySpec = {
  name: 'hivelet_duty_failing_seconds',
  help: 'How long a duty of an actor has failed. There is no sample for a duty that works.',
  labels: ['actor', 'duty'],
};

export const TROUBLES: FamilySpec = {
  name: 'hivelet_duty_troubles_total',
  help: 'How often a duty of an actor began to fail for more than 10 s.',
  labels: ['actor', 'duty'],
};
