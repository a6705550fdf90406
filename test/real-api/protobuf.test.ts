import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutNulls } from '../../src/api/answer-shapes.ts';
import { metaOf, versionOf } from '../../src/api/object-meta.ts';
import type { ApiRequest } from '../../src/api/api-request.ts';
import type { ApiTransport, WatchEvent } from '../../src/api/api-transport.ts';
import { newKeyAndRequest } from '../../src/api/certificates/client-certificate.ts';
import { type ServerUnderTest, startApiServer } from '../support/real-api/server-under-test.ts';
import { jsonTransportOf, transportOf } from '../support/real-api/transport-of.ts';
import { richObjects } from '../support/real-api/rich-objects.ts';

const SUITE = 'objects in protobuf';
const CALL_MS = 10_000;

/** Without the members that no code reads: those that are `null`, and the owners of fields. */
const asRead = (value: unknown): unknown =>
  withoutNulls(
    JSON.parse(JSON.stringify(value), (name, member: unknown) => (name === 'managedFields' ? undefined : member)),
  );

describe('objects in protobuf', { timeout: 60_000 }, () => {
  let server: ServerUnderTest;
  let json: ApiTransport;
  let protobuf: ApiTransport;
  const forms: string[] = [];

  beforeAll(async () => {
    server = await startApiServer(SUITE, { core: { bindPods: false } });
    json = jsonTransportOf(server.kubeconfig);
    protobuf = transportOf(server.kubeconfig, { answered: (resource, form) => forms.push(`${resource} ${form}`) });
    for (const { path, object, status } of richObjects) {
      await done(json, { verb: 'create', path, body: object, priority: 'object' });
      if (status === undefined) continue;
      const body = { status };
      const at = `${path}/${object.metadata.name}/status`;
      await done(json, { verb: 'patch', patchType: 'merge', path: at, body, priority: 'status' });
    }
  }, 120_000);
  afterAll(async () => {
    json?.close();
    protobuf?.close();
    await server?.close();
  });

  async function done(transport: ApiTransport, request: ApiRequest): Promise<unknown> {
    const outcome = await transport.call(request, CALL_MS);
    if (!outcome.ok) throw new Error(`${request.path}: ${outcome.fault.message}`);
    return outcome.value;
  }
  const get = (transport: ApiTransport, path: string, verb: 'get' | 'list' = 'get'): Promise<unknown> =>
    done(transport, { verb, path, priority: 'object' });

  const watched = (transport: ApiTransport, path: string): Promise<readonly WatchEvent[]> =>
    new Promise((resolve, reject) => {
      const events: WatchEvent[] = [];
      const close = transport.watch(
        `${path}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=20`,
        {
          events(some) {
            events.push(...some);
            if (events.some(({ type }) => type === 'BOOKMARK')) {
              close();
              resolve(events);
            }
          },
          ended: (fault) => reject(new Error(fault?.message ?? 'the watch ended without a bookmark')),
        },
      );
    });

  it.each(richObjects.map(({ path, resource, object }) => ({ path, resource, name: object.metadata.name })))(
    '$resource are read alone, in lists and in watches as in JSON',
    async ({ path, resource, name }) => {
      forms.length = 0;
      const object = await get(protobuf, `${path}/${name}`);
      expect(object).toEqual(asRead(await get(json, `${path}/${name}`)));
      const page = (await get(protobuf, `${path}?limit=500`, 'list')) as { readonly items: readonly unknown[] };
      const pageInJson = asRead(await get(json, `${path}?limit=500`, 'list')) as typeof page;
      expect(page.items).toEqual(pageInJson.items);
      expect(page).toMatchObject({ ...pageInJson, metadata: { resourceVersion: expect.any(String) as string } });
      const [events, inJson] = await Promise.all([watched(protobuf, path), watched(json, path)]);
      expect(events.filter(({ type }) => type === 'ADDED')).toEqual(
        inJson.filter(({ type }) => type === 'ADDED').map(asRead),
      );
      expect(metaOf(events.at(-1)?.object).annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
      expect(forms).toEqual([`${resource} protobuf`, `${resource} protobuf`, `${resource} protobuf`]);
    },
  );

  it.each([
    {
      kind: 'an event',
      path: '/api/v1/namespaces/default/events',
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'pulled', namespace: 'default' },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'default', uid: 'u', fieldPath: 'spec' },
        reason: 'Pulled',
        message: 'pulled – “once”',
        type: 'Normal',
        count: 3,
        source: { component: 'kubelet', host: 'node-1' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:05Z',
      },
    },
    {
      kind: 'a lease',
      path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
      body: {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'written', namespace: 'default' },
        spec: { holderIdentity: 'node-1', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.123456Z' },
      },
    },
    {
      kind: 'a node',
      path: '/api/v1/nodes',
      body: {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'written', labels: { a: 'b' } },
        spec: { taints: [{ key: 'a', effect: 'NoSchedule', timeAdded: '2026-01-01T00:00:00Z' }] },
        status: {
          capacity: { cpu: '4', memory: '8Gi' },
          addresses: [{ type: 'Hostname', address: 'written' }],
          conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-01-01T00:00:00Z' }],
        },
      },
    },
  ])('$kind is created in protobuf as in JSON', async ({ path, body }) => {
    const { name } = body.metadata;
    const written = async (transport: ApiTransport, as: string): Promise<unknown> => {
      const object = { ...body, metadata: { ...body.metadata, name: as } };
      await done(transport, { verb: 'create', path, body: object, priority: 'object' });
      const { metadata: _metadata, ...rest } = asRead(await get(json, `${path}/${as}`)) as {
        readonly metadata: object;
      };
      return JSON.parse(JSON.stringify(rest).replaceAll(as, name)) as unknown;
    };
    const inJson = await written(json, `${name}-json`);
    forms.length = 0;
    expect(await written(protobuf, `${name}-protobuf`)).toEqual(inJson);
    expect(forms).toEqual([expect.stringMatching(/ protobuf$/)]);
  });

  it('a lease is updated as a whole', async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/rich';
    const lease = (await get(protobuf, path)) as { readonly spec: object };
    const renewed = { ...lease, spec: { ...lease.spec, renewTime: '2026-02-01T00:00:00.000001Z' } };
    const answer = await done(protobuf, { verb: 'update', path, body: renewed, priority: 'lease' });
    const { metadata: before, ...expected } = renewed as unknown as { readonly metadata: object };
    expect(answer).toMatchObject(expected);
    expect(answer).toEqual(asRead(await get(json, path)));
    expect(versionOf(answer)).not.toBe(versionOf({ metadata: before }));
  });

  /** The approver of the cluster may have changed the request before it is read again. */
  const asMade = (object: unknown): object => {
    const { status: _approvers, ...rest } = object as { readonly status?: unknown; readonly metadata: object };
    return { ...rest, metadata: { ...rest.metadata, resourceVersion: 'any' } };
  };

  it('a certificate request is written and answered', async () => {
    const { request } = await newKeyAndRequest('node-1');
    const body = {
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { generateName: 'csr-' },
      spec: {
        request: Buffer.from(request).toString('base64'),
        signerName: 'example.com/none',
        usages: ['digital signature', 'client auth'],
      },
    };
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const made = await done(protobuf, { verb: 'create', path, body, priority: 'object' });
    const { name } = metaOf(made) as { readonly name: string };
    expect(asRead(await get(json, `${path}/${name}`))).toMatchObject({ spec: body.spec });
    expect(asMade(made)).toEqual(asMade(asRead(await get(json, `${path}/${name}`))));
  });

  it.each([
    {
      kind: 'TokenReview',
      path: '/apis/authentication.k8s.io/v1/tokenreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'no-token' } },
    },
    {
      kind: 'SubjectAccessReview',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: 'amy',
          groups: ['g'],
          extra: { scopes: ['a', 'b'] },
          resourceAttributes: { verb: 'get', resource: 'nodes', subresource: 'proxy', version: 'v1', name: 'node-1' },
        },
      },
    },
  ])('a $kind is answered as in JSON', async ({ path, body }) => {
    const ask: ApiRequest = { verb: 'create', path, body, priority: 'review' };
    const [read, inJson] = [await done(protobuf, ask), asRead(await done(json, ask))];
    expect(read).toEqual(inJson);
  });

  it('a token is requested as in JSON', async () => {
    const path = '/api/v1/namespaces/default/serviceaccounts/rich/token';
    const spec = { audiences: ['somebody'], expirationSeconds: 600 };
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
    const answer = await done(protobuf, { verb: 'create', path, body, priority: 'object' });
    expect(answer).toMatchObject({
      spec,
      status: {
        token: expect.stringMatching(/^ey/) as string,
        expirationTimestamp: expect.stringMatching(/Z$/) as string,
      },
    });
  });

  it('a refusal has the reason and the message of its status', async () => {
    const request: ApiRequest = { verb: 'get', path: '/api/v1/namespaces/default/pods/none', priority: 'object' };
    const [refused, inJson] = [await protobuf.call(request, CALL_MS), await json.call(request, CALL_MS)];
    expect(refused).toEqual(inJson);
    expect(refused).toMatchObject({ ok: false, fault: { reason: 'NotFound', message: 'pods "none" not found' } });
  });

  it('a patch is JSON, and its answer protobuf', async () => {
    forms.length = 0;
    const path = '/api/v1/namespaces/default/pods/rich/status';
    const body = { status: { message: 'patched' } };
    const patched = await done(protobuf, {
      verb: 'patch',
      patchType: 'strategic-merge',
      path,
      body,
      priority: 'status',
    });
    expect(patched).toEqual(asRead(await get(json, '/api/v1/namespaces/default/pods/rich')));
    expect(forms).toEqual(['pods/status protobuf']);
  });
});
