import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as wire from '@bufbuild/protobuf/wire';

export type BinaryReader = wire.BinaryReader;
export type BinaryWriter = wire.BinaryWriter;

/**
 * The classes and the wire types that code reads and writes with, loaded from their own file. The library's entry point
 * loads the whole library, which costs each thread 2.5 MiB.
 */
const load = createRequire(import.meta.url);
const file = join(dirname(load.resolve('@bufbuild/protobuf/wire')), 'binary-encoding.js');
// The file exports these; the tests read and write with them.
const binary = load(file) as Pick<typeof wire, 'BinaryReader' | 'BinaryWriter' | 'WireType'>;

export const BinaryReader = binary.BinaryReader;
export const BinaryWriter = binary.BinaryWriter;
export const WireType = binary.WireType;
