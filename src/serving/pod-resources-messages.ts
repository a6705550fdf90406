import { BinaryReader, BinaryWriter } from '../kube/text/protobuf-wire.ts';

/** A pod's share of this node's devices, processors and memory, container by container (podresources/v1). */
export interface PodResources {
  readonly name: string;
  readonly namespace: string;
  readonly containers: readonly ContainerResources[];
}

/** This agent assigns no devices, exclusive processors, NUMA memory or claims: a container has only its name. */
export interface ContainerResources {
  readonly name: string;
}

export interface PodName {
  readonly podName: string;
  readonly podNamespace: string;
}

function podResourcesInto(writer: BinaryWriter, { name, namespace, containers }: PodResources): BinaryWriter {
  if (name !== '') writer.uint32(tag(1)).string(name);
  if (namespace !== '') writer.uint32(tag(2)).string(namespace);
  for (const container of containers) {
    writer.uint32(tag(3)).fork();
    if (container.name !== '') writer.uint32(tag(1)).string(container.name);
    writer.join();
  }
  return writer;
}

/** The tag of a length-delimited field. */
const tag = (field: number): number => (field << 3) | 2;

/** `ListPodResourcesResponse`. */
export function encodePodList(pods: readonly PodResources[]): Buffer {
  const writer = new BinaryWriter();
  for (const pod of pods) podResourcesInto(writer.uint32(tag(1)).fork(), pod).join();
  return Buffer.from(writer.finish());
}

/** `GetPodResourcesResponse`. */
export const encodePod = (pod: PodResources): Buffer => encodePodList([pod]);

/** `GetPodResourcesRequest`; unknown fields of newer clients are skipped. */
export function decodePodName(bytes: Uint8Array): PodName {
  const reader = new BinaryReader(bytes);
  let podName = '';
  let podNamespace = '';
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) podName = reader.string();
    else if (field === 2) podNamespace = reader.string();
    else reader.skip(wireType);
  }
  return { podName, podNamespace };
}

export type PodResourcesMethod = 'List' | 'GetAllocatableResources' | 'Get';
