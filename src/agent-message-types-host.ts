import type { ContainerLogManagerProtocol } from '../actors/container-log-manager/protocol.ts';
import type { CsiManagerProtocol } from '../actors/csi-manager/protocol.ts';
import type { GarbageCollectorProtocol } from '../actors/garbage-collector/protocol.ts';
import type { ImageManagerProtocol } from '../actors/image-manager/protocol.ts';
import type { OomWatcherProtocol } from '../actors/oom-watcher/protocol.ts';
import type { VolumeManagerProtocol } from '../actors/volume-manager/protocol.ts';
import type { TypesOf } from './agent-message-types-stats.ts';

const containerLogs: TypesOf<ContainerLogManagerProtocol> = { handled: true, look: true, looked: true };
const csiManager: TypesOf<CsiManagerProtocol> = {
  'look-due': true,
  looked: true,
  'make-volume': true,
  'measure-volumes': true,
  'plugin-judged': true,
  'take-volumes-away': true,
};
const garbage: TypesOf<GarbageCollectorProtocol> = {
  'delete-unused-containers': true,
  'delete-unused-images': true,
  'pass-due': true,
  'pass-ended': true,
};
const imageManager: TypesOf<ImageManagerProtocol> = {
  'begin-pull': true,
  'end-pull': true,
  'left-pulls-judged': true,
  'may-use-image': true,
  tidy: true,
};
const oomWatcher: TypesOf<OomWatcherProtocol> = { look: true };
const volumeManager: TypesOf<VolumeManagerProtocol> = {
  'bind-sub-paths': true,
  'driver-volumes': true,
  'mount-volumes': true,
  'objects-changed': true,
  'pod-due': true,
  'pod-torn-down': true,
  'unmount-volumes': true,
  'volume-set-up': true,
  'volumes-wanted': true,
  'wait-over': true,
};

/** What those who look after the host can be told or asked: its storage, its logs, what is left over on it. */
export const hostMessageTypes: Readonly<Record<string, readonly string[]>> = {
  'container-log-manager': Object.keys(containerLogs),
  'csi-manager': Object.keys(csiManager),
  'garbage-collector': Object.keys(garbage),
  'image-manager': Object.keys(imageManager),
  'oom-watcher': Object.keys(oomWatcher),
  'volume-manager': Object.keys(volumeManager),
};
