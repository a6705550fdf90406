import { describe, expect, it } from 'vitest';
import { ContainerStatusResponse, PodSandboxConfig, StatusResponse } from '../../src/cri/gen/api.ts';
import { NodePublishVolumeRequest } from '../../src/csi/gen/csi.ts';
import { keyed } from '../../src/kube/text/own.ts';
import { FOREIGN_NAMES } from '../support/foreign-names.ts';

// What a runtime answers and a driver is sent crosses as protobuf: every key of a map arrives.

describe.each(FOREIGN_NAMES)('a key %s', (name) => {
  const one = keyed([[name, 'x']]);
  const entries = [[name, 'x']];

  it('of labels and annotations that a runtime answers is read', () => {
    const answer = ContainerStatusResponse.fromPartial({ status: { labels: one, annotations: one }, info: one });
    const { status, info } = ContainerStatusResponse.decode(ContainerStatusResponse.encode(answer).finish());
    for (const map of [status?.labels, status?.annotations, info]) expect(Object.entries(map ?? {})).toEqual(entries);
  });

  it('of a sandbox reaches the runtime', () => {
    const config = PodSandboxConfig.fromPartial({ labels: one, annotations: one, linux: { sysctls: one } });
    const { labels, annotations, linux } = PodSandboxConfig.decode(PodSandboxConfig.encode(config).finish());
    for (const map of [labels, annotations, linux?.sysctls]) expect(Object.entries(map ?? {})).toEqual(entries);
  });

  it('of attributes and secrets reaches a driver', () => {
    const request = NodePublishVolumeRequest.fromPartial({ volumeContext: one, publishContext: one, secrets: one });
    const read = NodePublishVolumeRequest.decode(NodePublishVolumeRequest.encode(request).finish());
    for (const map of [read.volumeContext, read.publishContext, read.secrets])
      expect(Object.entries(map)).toEqual(entries);
  });

  it('that is not sent is not there', () => {
    const { info } = StatusResponse.decode(StatusResponse.encode(StatusResponse.create()).finish());
    expect(Object.keys(info)).toEqual([]);
  });
});
