import { treeOf } from '../../../actors/tree.ts';
import { messageTypesOf } from '../../../src/agent/faults.ts';

const everyUse = [
  { api: 'api', serves: true },
  { api: 'objects-folder', serves: true },
] as const;

/** The types of messages of every kind of actor. Loaded before a simulation begins, so no step waits for a disk. */
export const messageTypes = new Map(
  (await Promise.all(everyUse.map((use) => messageTypesOf(treeOf('standard', use))))).flatMap((types) => [...types]),
);
