import { own } from '../text/own.ts';
import type { Container, Pod, Volume } from '../pod.ts';

/**
 * Returns the kinds of API objects, in the plural, that a pod refers to: each once, in alphabetical order. Optional
 * references count, since the object may be created later.
 */
export function apiObjectsReferencedBy(pod: Pod): readonly string[] {
  const { spec } = pod;
  const kinds = new Set<string>();
  if (spec === undefined) return [];
  if (spec.serviceAccountName || spec.serviceAccount) kinds.add('serviceaccounts');
  if ((spec.imagePullSecrets ?? []).length > 0) kinds.add('secrets');
  if ((spec.resourceClaims ?? []).length > 0) kinds.add('resourceclaims');
  const containers = [spec.containers, spec.initContainers, spec.ephemeralContainers].flatMap((list) => list ?? []);
  for (const container of containers) addFromEnv(kinds, container);
  for (const volume of spec.volumes ?? []) addFromVolume(kinds, volume);
  return [...kinds].sort();
}

function addFromEnv(kinds: Set<string>, container: Container): void {
  for (const { secretRef, configMapRef } of container.envFrom ?? []) {
    if (secretRef !== undefined) kinds.add('secrets');
    if (configMapRef !== undefined) kinds.add('configmaps');
  }
  for (const { valueFrom } of container.env ?? []) {
    if (valueFrom?.secretKeyRef !== undefined) kinds.add('secrets');
    if (valueFrom?.configMapKeyRef !== undefined) kinds.add('configmaps');
  }
}

const KIND_OF_VOLUME: Readonly<Record<string, string>> = {
  secret: 'secrets',
  configMap: 'configmaps',
  persistentVolumeClaim: 'persistentvolumeclaims',
  ephemeral: 'persistentvolumeclaims',
};

const KIND_OF_PROJECTION: Readonly<Record<string, string>> = {
  secret: 'secrets',
  configMap: 'configmaps',
  serviceAccountToken: 'serviceaccounts',
  clusterTrustBundle: 'clustertrustbundles',
  podCertificate: 'podcertificaterequests',
};

/** The members by which volume sources name a secret with credentials. */
const SECRET_MEMBERS = ['secretRef', 'secretName', 'nodePublishSecretRef', 'userSecretRef'];

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function addFromVolume(kinds: Set<string>, volume: Volume): void {
  for (const [type, source] of Object.entries(volume)) {
    const kind = own(KIND_OF_VOLUME, type);
    if (kind !== undefined) kinds.add(kind);
    if (!isRecord(source)) continue;
    if (SECRET_MEMBERS.some((member) => own(source, member) !== undefined)) kinds.add('secrets');
    const projections: readonly unknown[] = Array.isArray(source['sources']) ? source['sources'] : [];
    for (const projection of projections.filter(isRecord)) {
      for (const part of Object.keys(projection)) {
        const projected = own(KIND_OF_PROJECTION, part);
        if (projected !== undefined) kinds.add(projected);
      }
    }
  }
}
