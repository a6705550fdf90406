import type { BinaryReader, BinaryWriter } from '../kube/text/protobuf-wire.ts';
import * as cri from './gen/api.ts';

/** How urgent a call is. Each lane has its own limit, so a slow call never delays a faster lane. */
export const lanes = [
  'stop',
  'start',
  'list',
  'status',
  'probe',
  'hook',
  'stats',
  'pull',
  'remove',
  'background',
] as const;
export type Lane = (typeof lanes)[number];
/** The lanes that only a caller can choose. */
export type CallerLane = Extract<Lane, 'hook' | 'background'>;

/**
 * The effect of a call. `creates`: may create or start something of a pod. It must never overlap with calls for
 * that pod which an earlier incarnation left in flight. `reads`: changes nothing.
 */
export type Effect = 'creates' | 'changes' | 'reads';

interface Codec<T> {
  encode(message: T): BinaryWriter;
  decode(input: Uint8Array | BinaryReader, length?: number): T;
}

export interface CriMethod<Request, Response> {
  readonly path: string;
  readonly lane: Lane;
  readonly effect: Effect;
  readonly request: Codec<Request>;
  readonly response: Codec<Response>;
}

type Kind = readonly [lane: Lane, effect: Effect];

function runtime<Q, R>(name: string, kind: Kind, codecs: readonly [Codec<Q>, Codec<R>]): CriMethod<Q, R> {
  return {
    path: `/runtime.v1.RuntimeService/${name}`,
    lane: kind[0],
    effect: kind[1],
    request: codecs[0],
    response: codecs[1],
  };
}
function image<Q, R>(name: string, kind: Kind, codecs: readonly [Codec<Q>, Codec<R>]): CriMethod<Q, R> {
  return {
    path: `/runtime.v1.ImageService/${name}`,
    lane: kind[0],
    effect: kind[1],
    request: codecs[0],
    response: codecs[1],
  };
}

const start = ['start', 'creates'] as const;
const stop = ['stop', 'changes'] as const;
const remove = ['remove', 'changes'] as const;
// Lists cover the whole node: they do not queue behind calls about single pods, however many of those hang.
const list = ['list', 'reads'] as const;
const status = ['status', 'reads'] as const;
const stats = ['stats', 'reads'] as const;

/** The unary CRI calls this agent makes. */
export const criMethods = {
  Version: runtime('Version', status, [cri.VersionRequest, cri.VersionResponse]),
  Status: runtime('Status', status, [cri.StatusRequest, cri.StatusResponse]),
  RunPodSandbox: runtime('RunPodSandbox', start, [cri.RunPodSandboxRequest, cri.RunPodSandboxResponse]),
  StopPodSandbox: runtime('StopPodSandbox', stop, [cri.StopPodSandboxRequest, cri.StopPodSandboxResponse]),
  RemovePodSandbox: runtime('RemovePodSandbox', remove, [cri.RemovePodSandboxRequest, cri.RemovePodSandboxResponse]),
  PodSandboxStatus: runtime('PodSandboxStatus', status, [cri.PodSandboxStatusRequest, cri.PodSandboxStatusResponse]),
  ListPodSandbox: runtime('ListPodSandbox', list, [cri.ListPodSandboxRequest, cri.ListPodSandboxResponse]),
  CreateContainer: runtime('CreateContainer', start, [cri.CreateContainerRequest, cri.CreateContainerResponse]),
  StartContainer: runtime('StartContainer', start, [cri.StartContainerRequest, cri.StartContainerResponse]),
  StopContainer: runtime('StopContainer', stop, [cri.StopContainerRequest, cri.StopContainerResponse]),
  RemoveContainer: runtime('RemoveContainer', remove, [cri.RemoveContainerRequest, cri.RemoveContainerResponse]),
  ListContainers: runtime('ListContainers', list, [cri.ListContainersRequest, cri.ListContainersResponse]),
  ContainerStatus: runtime('ContainerStatus', status, [cri.ContainerStatusRequest, cri.ContainerStatusResponse]),
  ReopenContainerLog: runtime(
    'ReopenContainerLog',
    ['stats', 'changes'],
    [cri.ReopenContainerLogRequest, cri.ReopenContainerLogResponse],
  ),
  UpdateContainerResources: runtime(
    'UpdateContainerResources',
    ['start', 'changes'],
    [cri.UpdateContainerResourcesRequest, cri.UpdateContainerResourcesResponse],
  ),
  UpdatePodSandboxResources: runtime(
    'UpdatePodSandboxResources',
    ['start', 'changes'],
    [cri.UpdatePodSandboxResourcesRequest, cri.UpdatePodSandboxResourcesResponse],
  ),
  ContainerStats: runtime('ContainerStats', stats, [cri.ContainerStatsRequest, cri.ContainerStatsResponse]),
  ExecSync: runtime('ExecSync', ['probe', 'changes'], [cri.ExecSyncRequest, cri.ExecSyncResponse]),
  // Writes the whole memory of a container: as slow as other calls that are not urgent.
  CheckpointContainer: runtime(
    'CheckpointContainer',
    ['remove', 'changes'],
    [cri.CheckpointContainerRequest, cri.CheckpointContainerResponse],
  ),
  ListPodSandboxStats: runtime('ListPodSandboxStats', stats, [
    cri.ListPodSandboxStatsRequest,
    cri.ListPodSandboxStatsResponse,
  ]),
  // These calls only prepare a stream, and return its address.
  Exec: runtime('Exec', status, [cri.ExecRequest, cri.ExecResponse]),
  Attach: runtime('Attach', status, [cri.AttachRequest, cri.AttachResponse]),
  PortForward: runtime('PortForward', status, [cri.PortForwardRequest, cri.PortForwardResponse]),
  RuntimeConfig: runtime('RuntimeConfig', status, [cri.RuntimeConfigRequest, cri.RuntimeConfigResponse]),
  ListContainerStats: runtime('ListContainerStats', stats, [
    cri.ListContainerStatsRequest,
    cri.ListContainerStatsResponse,
  ]),
  ListImages: image('ListImages', stats, [cri.ListImagesRequest, cri.ListImagesResponse]),
  ImageStatus: image('ImageStatus', status, [cri.ImageStatusRequest, cri.ImageStatusResponse]),
  PullImage: image('PullImage', ['pull', 'changes'], [cri.PullImageRequest, cri.PullImageResponse]),
  RemoveImage: image('RemoveImage', remove, [cri.RemoveImageRequest, cri.RemoveImageResponse]),
  ImageFsInfo: image('ImageFsInfo', stats, [cri.ImageFsInfoRequest, cri.ImageFsInfoResponse]),
} as const;

export type CriMethodName = keyof typeof criMethods;
export type CriRequest<M extends CriMethodName> = Parameters<(typeof criMethods)[M]['request']['encode']>[0];
export type CriResponse<M extends CriMethodName> = ReturnType<(typeof criMethods)[M]['response']['decode']>;

/** The stream of container events, for runtimes that support it. */
export const containerEventsPath = '/runtime.v1.RuntimeService/GetContainerEvents';
