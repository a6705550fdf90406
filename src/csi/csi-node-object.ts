import { own } from '../kube/text/own.ts';

/** The API object that lists the drivers of a node (`storage.k8s.io/v1` CSINode). */
export interface CsiNodeObject {
  readonly apiVersion: 'storage.k8s.io/v1';
  readonly kind: 'CSINode';
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion?: string;
    readonly ownerReferences?: readonly object[];
  };
  readonly spec: { readonly drivers: readonly CsiNodeDriver[] };
}

export interface CsiNodeDriver {
  readonly name: string;
  readonly nodeID: string;
  readonly topologyKeys: readonly string[] | null;
  readonly allocatable?: { readonly count: number };
}

/** The API counts in 32 bits, a driver in 64. */
const LARGEST_COUNT = 2n ** 31n - 1n;

/** A driver's description of itself and this node (`NodeGetInfo`). */
export interface DriverOnNode {
  readonly name: string;
  readonly nodeId: string;
  readonly maxVolumes: bigint;
  readonly topology: Readonly<Record<string, string>>;
}

export function driverEntry({ name, nodeId, maxVolumes, topology }: DriverOnNode): CsiNodeDriver {
  const keys = Object.keys(topology).sort();
  return {
    name,
    nodeID: nodeId,
    topologyKeys: keys.length === 0 ? null : keys,
    ...(maxVolumes > 0n
      ? { allocatable: { count: Number(maxVolumes < LARGEST_COUNT ? maxVolumes : LARGEST_COUNT) } }
      : {}),
  };
}

/** Returns the object of a node without drivers. It is deleted with the Node. */
export const newCsiNode = (nodeName: string, nodeUid: string): CsiNodeObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: {
    name: nodeName,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid }],
  },
  spec: { drivers: [] },
});

/** Returns the object with the driver's present entry; the same object when nothing changes. */
export function withDriver(object: CsiNodeObject, driver: CsiNodeDriver): CsiNodeObject {
  const known = object.spec.drivers.find(({ name }) => name === driver.name);
  if (known !== undefined && JSON.stringify(sorted(known)) === JSON.stringify(sorted(driver))) return object;
  const others = object.spec.drivers.filter(({ name }) => name !== driver.name);
  return { ...object, spec: { ...object.spec, drivers: [...others, driver] } };
}

export function withoutDriver(object: CsiNodeObject, driverName: string): CsiNodeObject {
  const drivers = object.spec.drivers.filter(({ name }) => name !== driverName);
  return drivers.length === object.spec.drivers.length ? object : { ...object, spec: { ...object.spec, drivers } };
}

const sorted = ({ name, nodeID, topologyKeys, allocatable }: CsiNodeDriver): readonly unknown[] => [
  name,
  nodeID,
  [...(topologyKeys ?? [])].sort(),
  allocatable?.count,
];

export const NODE_ID_ANNOTATION = 'csi.volume.kubernetes.io/nodeid';

/** Returns the Node's annotation of drivers' IDs for this node; `undefined` when it need not change. */
export function nodeIdsWith(annotation: string | undefined, { name, nodeId }: DriverOnNode): string | undefined {
  const known = parseIds(annotation);
  return own(known, name) === nodeId ? undefined : JSON.stringify({ ...known, [name]: nodeId });
}

function parseIds(annotation: string | undefined): Readonly<Record<string, string>> {
  try {
    const parsed: unknown = JSON.parse(annotation ?? '{}');
    // The kubelet writes texts only, and ours are compared as texts.
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, string>) : {};
  } catch {
    return {};
  }
}
