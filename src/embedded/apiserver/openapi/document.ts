import { createHash } from 'node:crypto';
import { allKinds } from '../store/all-kinds.ts';
import { apiVersionOf, type ApiKind } from '../store/api-kind.ts';
import { serverVersion } from '../http/server-version.ts';
import type { DocumentV2, OperationV2 } from './document-v2.ts';
import { encodeDocument, OPENAPI_V2_PROTOBUF } from './encode-v2.ts';
import { kindSchema, METADATA, metadataSchema, schemaName } from './schema.ts';

/** A document that describes the API. */
export interface ApiDocument {
  readonly contentType: string;
  readonly body: string | Buffer;
}

const QUERY = ['dryRun', 'fieldManager', 'fieldValidation'] as const;

const info = { title: 'hivelet', version: serverVersion.gitVersion };

const byVersion = Map.groupBy(allKinds, apiVersionOf);

/** Documents do not change while the server runs: each is made on first request. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const documentV2 = once((): DocumentV2 => {
  const refTo = (name: string): string => `#/definitions/${name}`;
  return {
    swagger: '2.0',
    info,
    paths: Object.fromEntries(allKinds.map((kind) => [objectPath(kind), { patch: patchV2(kind) }])),
    definitions: {
      [METADATA]: metadataSchema(),
      ...Object.fromEntries(allKinds.map((kind) => [schemaName(kind), kindSchema(kind, refTo)])),
    },
  };
});
const jsonV2 = once(() => JSON.stringify(documentV2()));
const protobufV2 = once(() => encodeDocument(documentV2()));

const patchV2 = ({ group, version, kind }: ApiKind): OperationV2 => ({
  parameters: QUERY.map((name) => ({ name, in: 'query', type: 'string' })),
  responses: { 200: { description: 'OK' } },
  'x-kubernetes-group-version-kind': { group, version, kind },
});

const query = (name: string): object => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });

function operations(kind: ApiKind, verbs: readonly string[]): object {
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  const parameters = QUERY.map(query);
  return Object.fromEntries(
    verbs.map((verb) => [
      verb,
      {
        ...(verb !== 'get' && { parameters }),
        responses: { 200: { description: 'OK' } },
        'x-kubernetes-group-version-kind': gvk,
      },
    ]),
  );
}

function collectionPath({ group, version, namespaced, resource }: ApiKind): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced ? `${root}/namespaces/{namespace}/${resource}` : `${root}/${resource}`;
}

const objectPath = (kind: ApiKind): string => `${collectionPath(kind)}/{name}`;

const pathsOf = (kind: ApiKind): Readonly<Record<string, object>> => ({
  [collectionPath(kind)]: operations(kind, ['get', 'post', 'delete']),
  [objectPath(kind)]: operations(kind, ['get', 'put', 'patch', 'delete']),
});

const rootOf = (apiVersion: string): string => (apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`);

const documentsV3 = once((): ReadonlyMap<string, string> => {
  const refTo = (name: string): string => `#/components/schemas/${name}`;
  return new Map(
    [...byVersion].map(([apiVersion, kinds]) => {
      const document = {
        openapi: '3.0.0',
        info,
        paths: Object.fromEntries(kinds.flatMap((kind) => Object.entries(pathsOf(kind)))),
        components: {
          schemas: {
            [METADATA]: metadataSchema(),
            ...Object.fromEntries(kinds.map((kind) => [schemaName(kind), kindSchema(kind, refTo)])),
          },
        },
      };
      return [rootOf(apiVersion), JSON.stringify(document)];
    }),
  );
});

const indexV3 = once(() => {
  const paths = [...documentsV3()].map(([root, text]) => {
    const hash = createHash('sha256').update(text).digest('hex').toUpperCase();
    return [root, { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }] as const;
  });
  return JSON.stringify({ paths: Object.fromEntries(paths) });
});

const json = (body: string): ApiDocument => ({ contentType: 'application/json', body });

/** Answers `/openapi/v2` and paths below `/openapi/v3`. `undefined` for any other path. */
export function openApiDocument(path: string, accept = ''): ApiDocument | undefined {
  if (path === '/openapi/v2') {
    const wantsProtobuf = accept.includes('proto-openapi.spec.v2') && !accept.startsWith('application/json');
    return wantsProtobuf ? { contentType: OPENAPI_V2_PROTOBUF, body: protobufV2() } : json(jsonV2());
  }
  if (path === '/openapi/v3') return json(indexV3());
  if (!path.startsWith('/openapi/v3/')) return undefined;
  const document = documentsV3().get(path.slice('/openapi/v3/'.length));
  return document === undefined ? undefined : json(document);
}
