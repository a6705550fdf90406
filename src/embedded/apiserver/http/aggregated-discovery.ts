import { discover, discoveredGroups, type DiscoveredResource } from './discovery.ts';

const VERSIONS = ['v2', 'v2beta1'] as const;
type Version = (typeof VERSIONS)[number];

/**
 * Answers `/api` or `/apis` with everything at once (KEP-3352), if the client accepts it. `undefined` otherwise.
 */
export function discoverAtOnce(
  path: string,
  accept = '',
): { readonly contentType: string; readonly body: object } | undefined {
  if (path !== '/api' && path !== '/apis') return undefined;
  const version = acceptedVersion(accept);
  if (version === undefined) return undefined;
  const groups = path === '/api' ? [{ name: '', versions: ['v1'] }] : discoveredGroups;
  return {
    contentType: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
    body: {
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${version}`,
      metadata: {},
      items: groups.map(({ name, versions }) => ({
        metadata: name === '' ? {} : { name },
        versions: versions.map((each) => versionOf(name, each)),
      })),
    },
  };
}

/** The client's first choice among the supported versions. */
function acceptedVersion(accept: string): Version | undefined {
  for (const part of accept.split(',')) {
    if (!part.includes('as=APIGroupDiscoveryList') || !part.includes('g=apidiscovery.k8s.io')) continue;
    const [, ...parameters] = part.trim().split(';');
    const found = VERSIONS.find((version) => parameters.some((each) => each.trimStart() === `v=${version}`));
    if (found !== undefined) return found;
  }
  return undefined;
}

function versionOf(group: string, version: string): object {
  // Discovery of a version that is served lists its resources.
  const listed = discover(group === '' ? `/api/${version}` : `/apis/${group}/${version}`) as {
    readonly resources: readonly DiscoveredResource[];
  };
  const main = listed.resources.filter(({ name }) => !name.includes('/'));
  return {
    version,
    freshness: 'Current',
    resources: main.map((resource) => {
      const below = listed.resources.filter(({ name }) => name.startsWith(`${resource.name}/`));
      const { name, namespaced, singularName, verbs, shortNames, categories } = resource;
      return {
        resource: name,
        responseKind: kindOf(resource, { group, version }),
        scope: namespaced ? 'Namespaced' : 'Cluster',
        singularResource: singularName,
        verbs,
        ...(shortNames && { shortNames }),
        ...(categories && { categories }),
        ...(below.length > 0 && {
          subresources: below.map((each) => ({
            subresource: each.name.slice(name.length + 1),
            responseKind: kindOf(each, { group, version }),
            verbs: each.verbs,
          })),
        }),
      };
    }),
  };
}

const kindOf = (
  { kind, group, version }: DiscoveredResource,
  within: { readonly group: string; readonly version: string },
): object => ({ group: group ?? within.group, version: version ?? within.version, kind });
