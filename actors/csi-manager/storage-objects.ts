import type { ApiClient } from '../../src/api/api-client.ts';
import { nodePath, secretPath } from '../../src/api/api-path.ts';
import { isNotFound, type ApiOutcome } from '../../src/api/api-request.ts';
import {
  driverEntry,
  newCsiNode,
  NODE_ID_ANNOTATION,
  nodeIdsWith,
  withDriver,
  withoutDriver,
  type CsiNodeObject,
  type DriverOnNode,
} from '../../src/csi/csi-node-object.ts';
import type { SecretRef } from '../../src/csi/csi-volume.ts';
import type { TokenRequest } from '../../src/csi/driver-tokens.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../src/csi/persistent-volume.ts';
import { grownStatus, type VolumeGrowth } from '../../src/csi/volume-growth.ts';
import type { Resolved } from '../../src/csi/resolve-claim.ts';
import type { Node } from '../../src/kube/node.ts';
import { own } from '../../src/kube/text/own.ts';

/** The API's storage objects, as the CSI manager needs them. */
export interface StorageObjects {
  claim(namespace: string, name: string): Promise<Resolved<PersistentVolumeClaim>>;
  volume(name: string): Promise<Resolved<PersistentVolume>>;
  /** The driver's CSIDriver object; `undefined` when the cluster has none. */
  driver(name: string): Promise<Resolved<CsiDriverSpec | undefined>>;
  attachment(name: string): Promise<Resolved<AttachmentStatus>>;
  secret(ref: SecretRef): Promise<Resolved<Readonly<Record<string, string>>>>;
  node(): Promise<Resolved<Node>>;
  /** Announces in the API that the driver is on this node. */
  announce(driver: DriverOnNode): Promise<Resolved<undefined>>;
  withdraw(driverName: string): Promise<Resolved<undefined>>;
  /** Records in the claim's status that the file system has the size of the volume. */
  grown(growth: VolumeGrowth): Promise<Resolved<undefined>>;
}

export interface CsiDriverSpec {
  readonly attachRequired?: boolean;
  readonly podInfoOnMount?: boolean;
  readonly fsGroupPolicy?: string;
  readonly requiresRepublish?: boolean;
  readonly tokenRequests?: readonly TokenRequest[];
  /** Puts tokens among the secrets, which drivers do not log. */
  readonly serviceAccountTokenInSecrets?: boolean;
}

export interface AttachmentStatus {
  readonly attached: boolean;
  readonly attachmentMetadata?: Readonly<Record<string, string>>;
  readonly attachError?: { readonly message?: string };
}

const storage = (resource: string, name: string): string =>
  `/apis/storage.k8s.io/v1/${resource}/${encodeURIComponent(name)}`;
const claimPath = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/persistentvolumeclaims/${encodeURIComponent(name)}`;

const ok = <T>(value: T): Resolved<T> => ({ ok: true, value });

function resolved<T>(outcome: ApiOutcome<T>): Resolved<T> {
  return outcome.ok ? ok(outcome.value) : { ok: false, message: outcome.fault.message };
}

/** Every object is fetched live: the binding of a claim must not come from a copy that may be outdated. */
export function storageObjects(api: ApiClient, nodeName: string): StorageObjects {
  const csiNode = async (change: (object: CsiNodeObject) => CsiNodeObject): Promise<Resolved<undefined>> => {
    const found = await api.get<CsiNodeObject>(storage('csinodes', nodeName));
    if (!found.ok && !isNotFound(found.fault)) return { ok: false, message: found.fault.message };
    if (!found.ok) {
      const node = await api.get<Node>(nodePath(nodeName));
      if (!node.ok) return { ok: false, message: node.fault.message };
      const made = change(newCsiNode(nodeName, node.value.metadata.uid ?? ''));
      const created = await api.create('/apis/storage.k8s.io/v1/csinodes', made);
      return created.ok ? ok(undefined) : { ok: false, message: created.fault.message };
    }
    const known = { ...found.value, spec: { drivers: found.value.spec.drivers ?? [] } };
    const next = change(known);
    if (next === known) return ok(undefined);
    const updated = await api.update(storage('csinodes', nodeName), next);
    return updated.ok ? ok(undefined) : { ok: false, message: updated.fault.message };
  };
  return {
    claim: async (namespace, name) => resolved(await api.get<PersistentVolumeClaim>(claimPath(namespace, name))),
    volume: async (name) =>
      resolved(await api.get<PersistentVolume>(`/api/v1/persistentvolumes/${encodeURIComponent(name)}`)),
    async driver(name) {
      const found = await api.get<{ readonly spec?: CsiDriverSpec }>(storage('csidrivers', name));
      if (found.ok) return ok(found.value.spec ?? {});
      return isNotFound(found.fault) ? ok(undefined) : { ok: false, message: found.fault.message };
    },
    async attachment(name) {
      const found = await api.get<{ readonly status?: AttachmentStatus }>(storage('volumeattachments', name));
      if (!found.ok) return { ok: false, message: found.fault.message };
      return ok(found.value.status ?? { attached: false });
    },
    async secret({ namespace, name }) {
      const found = await api.get<{ readonly data?: Readonly<Record<string, string>> }>(secretPath(namespace, name));
      if (!found.ok) return { ok: false, message: found.fault.message };
      const data = Object.entries(found.value.data ?? {});
      return ok(Object.fromEntries(data.map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')])));
    },
    node: async () => resolved(await api.get<Node>(nodePath(nodeName))),
    async announce(driver) {
      const node = await api.get<Node>(nodePath(nodeName));
      if (!node.ok) return { ok: false, message: node.fault.message };
      const { annotations = {}, labels = {} } = node.value.metadata;
      const ids = nodeIdsWith(own(annotations, NODE_ID_ANNOTATION), driver);
      const missing = Object.entries(driver.topology).filter(([key, value]) => own(labels, key) !== value);
      if (ids !== undefined || missing.length > 0) {
        const metadata = {
          ...(ids === undefined ? {} : { annotations: { [NODE_ID_ANNOTATION]: ids } }),
          ...(missing.length === 0 ? {} : { labels: Object.fromEntries(missing) }),
        };
        const patched = await api.patch(nodePath(nodeName), { type: 'merge', body: { metadata } });
        if (!patched.ok) return { ok: false, message: patched.fault.message };
      }
      return csiNode((object) => withDriver(object, driverEntry(driver)));
    },
    withdraw: (name) => csiNode((object) => withoutDriver(object, name)),
    async grown(growth) {
      const { namespace = '', name } = growth.claim.metadata;
      const body = grownStatus(growth);
      const patched = await api.patch(`${claimPath(namespace, name)}/status`, { type: 'merge', body });
      return patched.ok ? ok(undefined) : { ok: false, message: patched.fault.message };
    },
  };
}

const ALONE = 'this node runs without an API server';

/** For a node without a cluster: claims cannot be resolved, and drivers need no announcement. */
export const noStorageObjects: StorageObjects = {
  claim: (namespace, name) =>
    Promise.resolve({ ok: false, message: `persistentvolumeclaims "${namespace}/${name}" cannot be read: ${ALONE}` }),
  volume: () => Promise.resolve({ ok: false, message: ALONE }),
  driver: () => Promise.resolve(ok({ attachRequired: false })),
  attachment: () => Promise.resolve({ ok: false, message: ALONE }),
  secret: ({ namespace, name }) =>
    Promise.resolve({ ok: false, message: `secret ${namespace}/${name} cannot be read: ${ALONE}` }),
  node: () => Promise.resolve({ ok: false, message: ALONE }),
  announce: () => Promise.resolve(ok(undefined)),
  withdraw: () => Promise.resolve(ok(undefined)),
  grown: () => Promise.resolve(ok(undefined)),
};
