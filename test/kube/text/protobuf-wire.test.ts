import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { BinaryReader, BinaryWriter } from '../../../src/kube/text/protobuf-wire.ts';

// The same kind of module as the file has: the library has each of its classes twice.
const wire: unknown = createRequire(import.meta.url)('@bufbuild/protobuf/wire');

describe('the classes of @bufbuild/protobuf that are loaded from their own file', () => {
  it('are those that the library exports', () => {
    expect(wire).toMatchObject({ BinaryReader, BinaryWriter });
  });

  it('read what they write', () => {
    const bytes = new BinaryWriter().string('pod').finish();
    expect(new BinaryReader(bytes).string()).toBe('pod');
  });
});
