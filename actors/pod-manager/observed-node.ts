import type { AdmissionNode } from '../../src/node/admission/admission.ts';
import type { ObservedNode } from './protocol.ts';

/** The node as admission sees it. This agent runs only on Linux. */
export const admissionNode = ({ metadata, spec, status }: ObservedNode): AdmissionNode => ({
  name: metadata.name,
  labels: metadata.labels ?? {},
  os: 'linux',
  allocatable: status?.allocatable ?? {},
  taints: spec?.taints ?? [],
  strictSupplementalGroups: status?.features?.supplementalGroupsPolicy === true,
});
