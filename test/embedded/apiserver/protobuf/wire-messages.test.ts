import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readGoTypes } from '../../../../src/embedded/apiserver/protobuf/go-types.ts';
import { wireMessagesText } from '../../../../src/embedded/apiserver/protobuf/wire-messages.ts';

const folder = join(import.meta.dirname, '../../../../src/embedded/apiserver/protobuf');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

describe('the tables of the wire form', () => {
  it('are made from the types of the API, as they are now', () => {
    expect(wireMessagesText(readGoTypes(read('kubernetes-types.go')))).toBe(read('gen/wire-messages.ts'));
  });
});

describe('a field of a type of the API', () => {
  it.each([
    {
      what: 'a pointer',
      line: '\tUID *int64 `json:"uid,omitempty" protobuf:"varint,4,opt,name=uid"`',
      field: { name: 'uid', number: 4, type: 'int64', isPointer: true, omitEmpty: true },
    },
    {
      what: 'a list',
      line: '\tArgs []string `json:"args" protobuf:"bytes,2,rep,name=args"`',
      field: { name: 'args', number: 2, type: '[]string', isPointer: false, omitEmpty: false },
    },
    {
      what: 'a struct whose fields JSON writes into the enclosing object',
      line: '\tVolumeSource `json:",inline" protobuf:"bytes,2,opt,name=volumeSource"`',
      field: { name: '', number: 2, type: 'VolumeSource', isPointer: false, omitEmpty: false },
    },
  ])('is read: $what', ({ line, field }) => {
    expect(readGoTypes(`type Made struct {\n${line}\n}\n`).structs.get('Made')).toEqual([field]);
  });

  it('is left out where JSON or protobuf has none', () => {
    const text = 'type Made struct {\n\tRaw []byte `json:"-" protobuf:"bytes,1,opt"`\n\tKind string `json:"kind"`\n}\n';
    expect(readGoTypes(text).structs.get('Made')).toEqual([]);
  });
});
