import { BinaryReader } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { allKinds } from '../../../src/embedded/apiserver/store/all-kinds.ts';
import { openApiDocument } from '../../../src/embedded/apiserver/openapi/document.ts';

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly items: Schema;
  readonly [member: string]: unknown;
}
interface Document {
  readonly definitions: Readonly<Record<string, Schema>>;
  readonly paths: Readonly<Record<string, { readonly patch?: object }>>;
}

const read = (path: string): Document => JSON.parse(String(openApiDocument(path)?.body)) as Document;

describe('the description of the API', () => {
  it('names the merge strategy of lists', () => {
    const pod = read('/openapi/v2').definitions['io.k8s.api.core.v1.Pod'];
    expect(pod?.properties['spec']?.properties['containers']).toMatchObject({
      type: 'array',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-list-type': 'map',
    });
    expect(pod?.properties['spec']?.properties['tolerations']).toMatchObject({ 'x-kubernetes-list-type': 'atomic' });
  });

  it.each(allKinds)(
    'has $kind of $group, whose fields the server can validate',
    ({ group, version, kind, resource }) => {
      const root = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      const document = read(`/openapi/v3/${root}`);
      const [, item] = Object.entries(document.paths).find(([path]) => path.endsWith(`/${resource}/{name}`)) ?? [];
      expect(item?.patch).toMatchObject({
        parameters: expect.arrayContaining([expect.objectContaining({ name: 'fieldValidation' })]) as unknown,
        'x-kubernetes-group-version-kind': { group, version, kind },
      });
    },
  );

  it('names a document for each version, by a hash of its content', () => {
    const { paths } = read('/openapi/v3') as unknown as { paths: Record<string, { serverRelativeURL: string }> };
    expect(paths['api/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{64}$/);
  });

  it('has an older format for older clients, with every kind', () => {
    const document = openApiDocument('/openapi/v2', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf');
    expect(document?.contentType).toMatch(/protobuf$/);
    const reader = new BinaryReader(document?.body as Buffer);
    const fields: number[] = [];
    let definitions = 0;
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      fields.push(field);
      if (field !== 9) {
        reader.skip(type, field);
        continue;
      }
      const end = reader.uint32() + reader.pos;
      for (; reader.pos < end; definitions += 1) reader.skip(reader.tag()[1]);
    }
    expect(fields).toEqual([1, 2, 8, 9]);
    // One more: the definition that all objects share.
    expect(definitions).toBe(allKinds.length + 1);
  });
});
