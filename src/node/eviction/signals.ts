import { hasOwn } from '../../kube/text/own.ts';
import type { Pressures } from '../object/node-conditions.ts';

/** The signals that thresholds are set on: what a node may run short of (concept: node-pressure eviction). */
export const SIGNALS = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
] as const;

export type Signal = (typeof SIGNALS)[number];

/** The scarce resource as pods' messages name it. */
export type StarvedResource = 'memory' | 'ephemeral-storage' | 'inodes' | 'pids';

/** The file systems that signals refer to. */
export type FileSystemSignal = 'nodefs' | 'imagefs' | 'containerfs';

interface SignalFacts {
  readonly pressure: keyof Pressures;
  readonly resource: StarvedResource;
  readonly fileSystem: FileSystemSignal | undefined;
}

const onDisk = (fileSystem: FileSystemSignal, resource: 'ephemeral-storage' | 'inodes'): SignalFacts => ({
  pressure: 'disk',
  resource,
  fileSystem,
});
const memory: SignalFacts = { pressure: 'memory', resource: 'memory', fileSystem: undefined };

const FACTS: Readonly<Record<Signal, SignalFacts>> = {
  'memory.available': memory,
  'allocatableMemory.available': memory,
  'nodefs.available': onDisk('nodefs', 'ephemeral-storage'),
  'nodefs.inodesFree': onDisk('nodefs', 'inodes'),
  'imagefs.available': onDisk('imagefs', 'ephemeral-storage'),
  'imagefs.inodesFree': onDisk('imagefs', 'inodes'),
  'containerfs.available': onDisk('containerfs', 'ephemeral-storage'),
  'containerfs.inodesFree': onDisk('containerfs', 'inodes'),
  'pid.available': { pressure: 'pid', resource: 'pids', fileSystem: undefined },
};

export const pressureOf = (signal: Signal): keyof Pressures => FACTS[signal].pressure;
export const resourceOf = (signal: Signal): StarvedResource => FACTS[signal].resource;
/** Returns the signal's file system; `undefined` when it refers to none. */
export const fileSystemOf = (signal: Signal): FileSystemSignal | undefined => FACTS[signal].fileSystem;

export const isSignal = (name: string): name is Signal => hasOwn(FACTS, name);
