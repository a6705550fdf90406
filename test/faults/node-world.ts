import type { FaultWorld } from '../../src/faults/fault-world.ts';

/** A small node: one PLEG, one gateway, many pod workers on two threads. */
export const nodeWorld: FaultWorld = {
  threads: ['cri', 'pleg', 'pods-0', 'pods-1'],
  kinds: new Map([
    ['cri-gateway', { addresses: 'one', threads: ['cri'], messages: ['call', 'runtime-health'] }],
    ['pleg', { addresses: 'one', threads: ['pleg'], messages: ['relist', 'pod-status'] }],
    ['pod-worker', { addresses: 'many', threads: ['pods-0', 'pods-1'], messages: ['sync-pod', 'terminate-pod'] }],
    ['guest', { addresses: 'many', threads: ['pleg'], messages: undefined }],
  ]),
  criThreads: ['cri'],
  apiThreads: ['node'],
  fileThreads: ['pods-0', 'pods-1'],
};
