import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { DocumentV2, OperationV2 } from './document-v2.ts';
import type { Schema } from './schema.ts';

/** kubectl before 1.27 requests the fields of objects in this form only. */
export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** Field numbers of gnostic's `openapi.v2` messages, as far as they are needed here. */
const DOCUMENT = { swagger: 1, info: 2, paths: 8, definitions: 9 } as const;
const INFO = { title: 1, version: 2 } as const;
const SCHEMA = {
  ref: 1,
  format: 2,
  description: 4,
  additionalProperties: 21,
  type: 22,
  items: 23,
  properties: 25,
  extension: 31,
} as const;

const PATHS = { path: 2 } as const;
const PATH_ITEM = { patch: 8 } as const;
const OPERATION = { parameters: 8, extension: 13 } as const;
const PARAMETER = { nonBody: 2, query: 3 } as const;
const QUERY = { in: 2, name: 4, type: 6 } as const;

type Write = (writer: BinaryWriter) => void;

function nested(writer: BinaryWriter, field: number, write: Write): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write(writer);
  writer.join();
}

function text(writer: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined) writer.tag(field, WireType.LengthDelimited).string(value);
}

/** Encodes the document as gnostic's protobuf. */
export function encodeDocument({ swagger, info, paths, definitions }: DocumentV2): Buffer {
  const writer = new BinaryWriter();
  text(writer, DOCUMENT.swagger, swagger);
  nested(writer, DOCUMENT.info, (at) => {
    text(at, INFO.title, info.title);
    text(at, INFO.version, info.version);
  });
  nested(writer, DOCUMENT.paths, (at) => {
    for (const [path, { patch }] of Object.entries(paths)) writePath(at, path, patch);
  });
  nested(writer, DOCUMENT.definitions, (at) => writeNamed(at, definitions));
  return Buffer.from(writer.finish());
}

function writeNamed(writer: BinaryWriter, schemas: Readonly<Record<string, Schema>>): void {
  for (const [name, schema] of Object.entries(schemas)) {
    nested(writer, 1, (named) => {
      text(named, 1, name);
      nested(named, 2, (at) => writeSchema(at, schema));
    });
  }
}

/** Writes only what clients read of a path: the kind that its patches change, and whether dry run is supported. */
function writePath(writer: BinaryWriter, path: string, patch: OperationV2): void {
  nested(writer, PATHS.path, (named) => {
    text(named, 1, path);
    nested(named, 2, (item) => {
      nested(item, PATH_ITEM.patch, (operation) => {
        for (const { name } of patch.parameters) {
          nested(operation, OPERATION.parameters, (one) =>
            nested(one, 1, (parameter) =>
              nested(parameter, PARAMETER.nonBody, (nonBody) =>
                nested(nonBody, PARAMETER.query, (at) => {
                  text(at, QUERY.in, 'query');
                  text(at, QUERY.name, name);
                  text(at, QUERY.type, 'string');
                }),
              ),
            ),
          );
        }
        writeExtensions(operation, OPERATION.extension, patch);
      });
    });
  });
}

function writeExtensions(writer: BinaryWriter, field: number, of: object): void {
  for (const [name, value] of Object.entries(of)) {
    if (!name.startsWith('x-')) continue;
    nested(writer, field, (named) => {
      text(named, 1, name);
      // Any YAML is valid here, and JSON is YAML.
      nested(named, 2, (any) => text(any, 2, JSON.stringify(value)));
    });
  }
}

function writeSchema(writer: BinaryWriter, schema: Schema): void {
  const { additionalProperties, items, properties, type } = schema;
  text(writer, SCHEMA.ref, schema.$ref);
  text(writer, SCHEMA.format, schema.format);
  text(writer, SCHEMA.description, schema.description);
  if (additionalProperties) {
    nested(writer, SCHEMA.additionalProperties, (item) =>
      nested(item, 1, (at) => writeSchema(at, additionalProperties)),
    );
  }
  if (type !== undefined) nested(writer, SCHEMA.type, (at) => text(at, 1, type));
  if (items) nested(writer, SCHEMA.items, (item) => nested(item, 1, (at) => writeSchema(at, items)));
  if (properties) nested(writer, SCHEMA.properties, (at) => writeNamed(at, properties));
  writeExtensions(writer, SCHEMA.extension, schema);
}
