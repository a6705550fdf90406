import { describe, expect, it } from 'vitest';
import { discoverAtOnce } from '../../../../src/embedded/apiserver/http/aggregated-discovery.ts';

const accept = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

interface Discovered {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly { readonly resource: string }[];
    }[];
  }[];
}

describe('aggregated discovery', () => {
  it('lists resources with their scope, verbs, short names and subresources', () => {
    const body = discoverAtOnce('/api', accept('v2'))?.body as Discovered;
    const [core] = body.items;
    expect(core).toMatchObject({ metadata: {}, versions: [{ version: 'v1', freshness: 'Current' }] });
    const pods = core?.versions[0]?.resources.find(({ resource }) => resource === 'pods');
    expect(pods).toMatchObject({
      responseKind: { group: '', version: 'v1', kind: 'Pod' },
      scope: 'Namespaced',
      singularResource: 'pod',
      shortNames: ['po'],
      verbs: expect.arrayContaining(['get', 'list', 'watch', 'deletecollection']),
      subresources: expect.arrayContaining([
        expect.objectContaining({ subresource: 'status', responseKind: { group: '', version: 'v1', kind: 'Pod' } }),
        expect.objectContaining({
          subresource: 'eviction',
          responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
        }),
      ]),
    });
  });

  it('lists every group except core below /apis', () => {
    const body = discoverAtOnce('/apis', accept('v2'))?.body as Discovered;
    const names = body.items.map(({ metadata }) => metadata.name);
    expect(names).toEqual(expect.arrayContaining(['coordination.k8s.io', 'events.k8s.io', 'policy']));
    expect(names).not.toContain('');
  });

  it.each([
    { asked: `${accept('v2')},application/json`, version: 'v2' },
    { asked: `${accept('v3')},${accept('v2beta1')},application/json`, version: 'v2beta1' },
  ])('uses the first known version that the client accepts: $version', ({ asked, version }) => {
    expect(discoverAtOnce('/apis', asked)).toMatchObject({
      contentType: accept(version),
      body: { kind: 'APIGroupDiscoveryList', apiVersion: `apidiscovery.k8s.io/${version}` },
    });
  });

  it.each([
    { what: 'a client that does not accept the format', path: '/apis', asked: 'application/json' },
    { what: 'a client that accepts an unknown version only', path: '/apis', asked: accept('v9') },
    { what: 'a client on any other path', path: '/apis/policy', asked: accept('v2') },
  ])('is not sent to $what', ({ path, asked }) => {
    expect(discoverAtOnce(path, asked)).toBeUndefined();
  });
});
