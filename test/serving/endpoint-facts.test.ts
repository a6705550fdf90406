import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessAttributes } from '../../src/serving/authorization-attributes.ts';
import { endpoints, findEndpoint, type ServerSwitches } from '../../src/serving/endpoints.ts';
import { ask, serverUnderTest, type ServerUnderTest } from './server-under-test.ts';

interface EndpointFact {
  readonly path: string;
  readonly methods: readonly string[];
  readonly authz: readonly string[];
  readonly when: string;
  readonly contentType: string;
}

interface Facts {
  readonly endpoints: readonly EndpointFact[];
  readonly disabledWhenNoDebugging: { readonly status: number; readonly paths: readonly string[] };
}

/** What the kubelet of Kubernetes 1.36 serves, as it was written down from its source. */
const facts = JSON.parse(
  readFileSync(new URL('../golden/kubelet-http-endpoints.json', import.meta.url), 'utf8'),
) as Facts;

const all: ServerSwitches = {
  debuggingHandlers: true,
  systemLogHandler: true,
  profilingHandler: true,
  debugFlagsHandler: true,
  containerCheckpoint: true,
  statusz: true,
  flagz: true,
  fineGrainedAuthorization: true,
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const places: Readonly<Record<string, string>> = {
  podNamespace: 'a',
  podID: 'web',
  uid: 'u1',
  containerName: 'main',
  'logpath:*': 'x/y.log',
  'subpath:*': 'cmdline',
};
const pathOf = ({ path }: EndpointFact): string =>
  path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => places[name] ?? name);
const methodsOf = ({ methods }: EndpointFact): readonly string[] => {
  const named = methods.map((each) => each.split(' ')[0] ?? '');
  if (named.includes('*')) return METHODS;
  return named.includes('GET') ? [...named, 'HEAD'] : named;
};
/** As our own table writes it. */
const patternOf = ({ path }: EndpointFact): string =>
  path
    .replace(/^\/healthz\/.+$/, '/healthz/{check}')
    .replace(/\{[^}]*:\*\}/, '*')
    .replaceAll('{podNamespace}', '{namespace}')
    .replaceAll('{podID}', '{pod}')
    .replaceAll('{containerName}', '{container}')
    .replace(/(.)\/$/, '$1');

describe('the table of endpoints', () => {
  it('has every path of the kubelet, and no other', () => {
    expect(new Set(endpoints.map(({ path }) => path))).toEqual(new Set(facts.endpoints.map(patternOf)));
  });

  it.each(facts.endpoints.map((fact) => [fact.path, fact] as const))(
    'takes the methods of %s and no other',
    (_, fact) => {
      const taken = METHODS.filter((method) => findEndpoint(method, pathOf(fact), all).type === 'endpoint');
      expect(new Set(taken)).toEqual(new Set(methodsOf(fact)));
    },
  );

  it.each(facts.endpoints.map((fact) => [fact.path, fact] as const))('asks for the rights of %s', (_, fact) => {
    const asked = accessAttributes({ method: 'GET', path: pathOf(fact) }, { name: 'n1', fineGrained: true });
    expect(asked.map(({ subresource }) => subresource)).toEqual(fact.authz);
  });

  it.each(facts.endpoints.map((fact) => [fact.path, fact] as const))(
    'knows whether %s needs debugging',
    (path, fact) => {
      const [method = 'GET'] = methodsOf(fact);
      const found = findEndpoint(method, pathOf(fact), { ...all, debuggingHandlers: false });
      const { status, paths } = facts.disabledWhenNoDebugging;
      const isDisabled = paths.some((prefix) => path.startsWith(prefix)) || path === '/debug/flags/v';
      const expected = { type: 'refused', status: isDisabled ? status : 404 };
      expect(found).toMatchObject(fact.when === 'always' ? { type: 'endpoint' } : expected);
    },
  );
});

describe('a live server', () => {
  let node: ServerUnderTest;
  beforeAll(async () => {
    node = await serverUnderTest({ anonymous: true });
    node.reviews.rights.add('system:anonymous *');
    node.files.append('/var/log/pods/a_web_u1/main/0.log', '');
  });
  afterAll(() => node.server.close());

  const contentTypes: Readonly<Record<string, string>> = {
    'text/plain; charset=utf-8': 'text/plain; charset=utf-8',
    'application/json': 'application/json',
    'application/json (nosniff)': 'application/json',
    'text/plain; version=0.0.4 (prometheus negotiation)': 'text/plain; version=0.0.4; charset=utf-8',
  };
  // Numbers that are others' to give are not looked for here.
  const notHere = /^\/(metrics|stats)/;
  const shown = facts.endpoints.filter(
    (fact) =>
      contentTypes[fact.contentType] !== undefined && methodsOf(fact).includes('GET') && !notHere.test(fact.path),
  );
  it.each(shown.map((fact) => [fact.path, fact] as const))('answers %s in the type of the kubelet', async (_, fact) => {
    const answer = await ask(node, pathOf(fact));
    expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({
      status: 200,
      type: contentTypes[fact.contentType],
    });
  });

  it.each(facts.endpoints.filter(({ contentType }) => contentType.startsWith('upgrade')).map(({ path }) => path))(
    'wants an upgrade at %s',
    async (path) => {
      const { status } = await ask(node, pathOf({ path } as EndpointFact));
      expect(status).toBe(400);
    },
  );
});
