import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessAttributes } from '../../src/serving/access/authorization-attributes.ts';
import { endpoints, findEndpoint, type ServerSwitches } from '../../src/serving/endpoints.ts';
import { type EndpointFact, facts, METHODS, methodsOf, pathOf } from './kubelet-endpoints.ts';
import { ask, serverUnderTest, type ServerUnderTest } from './server-under-test.ts';

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

/** Returns the pattern in the form of our own table. */
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
