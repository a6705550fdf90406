import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as wire from '@bufbuild/protobuf/wire';

export type BinaryReader = wire.BinaryReader;
export type BinaryWriter = wire.BinaryWriter;

/**
 * The two classes that generated code reads and writes with, from the file they are in. The entry beside it loads the whole
 * of the library, which weighs each thread 2.5 MiB.
 */
const load = createRequire(import.meta.url);
const file = join(dirname(load.resolve('@bufbuild/protobuf/wire')), 'binary-encoding.js');
const binary = load(file) as Pick<typeof wire, 'BinaryReader' | 'BinaryWriter'>;

export const BinaryReader = binary.BinaryReader;
export const BinaryWriter = binary.BinaryWriter;
