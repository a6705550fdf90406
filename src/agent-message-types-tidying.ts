import type { ContainerLogManagerProtocol } from '../actors/container-log-manager/protocol.ts';
import type { GarbageCollectorProtocol } from '../actors/garbage-collector/protocol.ts';
import type { OomWatcherProtocol } from '../actors/oom-watcher/protocol.ts';
import type { TypesOf } from './agent-message-types-stats.ts';

const containerLogs: TypesOf<ContainerLogManagerProtocol> = { handled: true, look: true, looked: true };
const garbage: TypesOf<GarbageCollectorProtocol> = {
  'delete-unused-containers': true,
  'delete-unused-images': true,
  'pass-due': true,
  'pass-ended': true,
};
const oomWatcher: TypesOf<OomWatcherProtocol> = { look: true };

/** What those who tidy up the node can be told or asked. */
export const tidyingMessageTypes: Readonly<Record<string, readonly string[]>> = {
  'container-log-manager': Object.keys(containerLogs),
  'garbage-collector': Object.keys(garbage),
  'oom-watcher': Object.keys(oomWatcher),
};
