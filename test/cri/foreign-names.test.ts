import { describe, expect, it } from 'vitest';
import {
  ContainerStatusResponse,
  ListContainersResponse,
  ListPodSandboxResponse,
  PodSandboxConfig,
  StatusResponse,
} from '../../src/cri/gen/api.ts';
import { NodeGetInfoResponse, NodePublishVolumeRequest } from '../../src/csi/gen/csi.ts';
import { keyed } from '../../src/kube/text/own.ts';
import { BinaryWriter } from '../../src/kube/text/protobuf-wire.ts';
import { FOREIGN_NAMES } from '../support/foreign-names.ts';

// Answers of a runtime and requests to a driver are protobuf: every key of a map arrives.

/** Length-delimited: the wire type of messages, texts and entries of maps. */
const tagOf = (field: number): number => field * 8 + 2;

/** The bytes of an answer with one entry in a map, written without the generated code. `path`: field numbers down to the map. */
function oneEntry([field = 0, ...rest]: readonly number[], key: string, value = 'x'): BinaryWriter {
  const writer = new BinaryWriter();
  const inner =
    rest.length === 0
      ? new BinaryWriter().uint32(tagOf(1)).string(key).uint32(tagOf(2)).string(value)
      : oneEntry(rest, key, value);
  return writer.uint32(tagOf(field)).bytes(inner.finish());
}

interface MapOfAnswer {
  readonly what: string;
  readonly path: readonly number[];
  readonly read: (bytes: Uint8Array) => object | undefined;
}

/** Every map in an answer that this agent decodes. */
const mapsOfAnswers: readonly MapOfAnswer[] = [
  {
    what: 'labels of a sandbox',
    path: [1, 5],
    read: (bytes) => ListPodSandboxResponse.decode(bytes).items[0]?.labels,
  },
  {
    what: 'annotations of a sandbox',
    path: [1, 6],
    read: (bytes) => ListPodSandboxResponse.decode(bytes).items[0]?.annotations,
  },
  {
    what: 'labels of a container',
    path: [1, 8],
    read: (bytes) => ListContainersResponse.decode(bytes).containers[0]?.labels,
  },
  {
    what: 'annotations of a container',
    path: [1, 9],
    read: (bytes) => ListContainersResponse.decode(bytes).containers[0]?.annotations,
  },
  {
    what: 'labels of a container status',
    path: [1, 12],
    read: (bytes) => ContainerStatusResponse.decode(bytes).status?.labels,
  },
  { what: 'the info of a container', path: [2], read: (bytes) => ContainerStatusResponse.decode(bytes).info },
  { what: 'the info of a runtime', path: [2], read: (bytes) => StatusResponse.decode(bytes).info },
  {
    what: "the topology of a driver's node",
    path: [3, 1],
    read: (bytes) => NodeGetInfoResponse.decode(bytes).accessibleTopology?.segments,
  },
];

describe.each(FOREIGN_NAMES)('a key %s', (name) => {
  const one = keyed([[name, 'x']]);
  const entries = [[name, 'x']];

  it('is read from labels and annotations of the runtime', () => {
    const answer = ContainerStatusResponse.fromPartial({ status: { labels: one, annotations: one }, info: one });
    const { status, info } = ContainerStatusResponse.decode(ContainerStatusResponse.encode(answer).finish());
    for (const map of [status?.labels, status?.annotations, info]) expect(Object.entries(map ?? {})).toEqual(entries);
  });

  it('reaches the runtime in a sandbox config', () => {
    const config = PodSandboxConfig.fromPartial({ labels: one, annotations: one, linux: { sysctls: one } });
    const { labels, annotations, linux } = PodSandboxConfig.decode(PodSandboxConfig.encode(config).finish());
    for (const map of [labels, annotations, linux?.sysctls]) expect(Object.entries(map ?? {})).toEqual(entries);
  });

  it('reaches a driver in attributes and secrets', () => {
    const request = NodePublishVolumeRequest.fromPartial({ volumeContext: one, publishContext: one, secrets: one });
    const read = NodePublishVolumeRequest.decode(NodePublishVolumeRequest.encode(request).finish());
    for (const map of [read.volumeContext, read.publishContext, read.secrets])
      expect(Object.entries(map)).toEqual(entries);
  });

  it('is absent if it was not sent', () => {
    const { info } = StatusResponse.decode(StatusResponse.encode(StatusResponse.create()).finish());
    expect(Object.keys(info)).toEqual([]);
  });
});

describe.each(mapsOfAnswers)('$what with a foreign key, as the bytes of an answer', ({ path, read }) => {
  it.each(FOREIGN_NAMES)('keeps %s as an own key, and no object inherits the key', (name) => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const map = read(oneEntry(path, name).finish());
    expect(Object.entries(map ?? {})).toEqual([[name, 'x']]);
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});
