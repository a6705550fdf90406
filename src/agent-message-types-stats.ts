import type { StatsCollectorProtocol } from '../actors/stats-collector/protocol.ts';
import type { Protocol } from './actor/message.ts';

/** One key for every type of message of a protocol: one more or one less does not compile. */
export type TypesOf<P extends Protocol> = Readonly<Record<P['command']['type'] | P['question']['type'], true>>;

export const statsCollector: TypesOf<StatsCollectorProtocol> = {
  'cadvisor-metrics': true,
  'disk-devices': true,
  'folders-walked': true,
  'node-memory': true,
  'node-stats': true,
  'pod-stats': true,
  'resource-metrics': true,
  summary: true,
  'summary-text': true,
};
