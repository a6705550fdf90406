import type { ApiKind } from './api-kind.ts';
import { accessKinds } from '../kinds/access-kinds.ts';
import { certificateRequestKind } from '../kinds/certificate-kind.ts';
import {
  csiDriverKind,
  csiNodeKind,
  leaseKind,
  passiveKinds,
  priorityClassKind,
  runtimeClassKind,
  storageKinds,
} from '../kinds/cluster-kinds.ts';
import { configMapKind, secretKind, serviceAccountKind } from '../kinds/config-kinds.ts';
import { eventKind, newEventKind } from '../kinds/event-kinds.ts';
import { namespaceKind } from '../kinds/namespace-kind.ts';
import { nodeKind } from '../kinds/node-kind.ts';
import { podCertificateKind } from '../kinds/pod-certificate-kind.ts';
import { podKind } from '../kinds/pod-kind.ts';
import { trustBundleKind } from '../kinds/trust-bundle-kind.ts';
import { serviceKind } from '../kinds/service-kind.ts';

/** Every kind of object that this server stores. */
export const allKinds: readonly ApiKind[] = [
  podKind,
  nodeKind,
  namespaceKind,
  eventKind,
  newEventKind,
  configMapKind,
  secretKind,
  serviceKind,
  serviceAccountKind,
  leaseKind,
  runtimeClassKind,
  priorityClassKind,
  csiDriverKind,
  csiNodeKind,
  certificateRequestKind,
  trustBundleKind,
  podCertificateKind,
  ...storageKinds,
  ...passiveKinds,
  ...accessKinds,
];

const byPath = new Map(allKinds.map((kind) => [`${kind.group}/${kind.version}/${kind.resource}`, kind]));

export const findKind = (group: string, version: string, resource: string): ApiKind | undefined =>
  byPath.get(`${group}/${version}/${resource}`);
