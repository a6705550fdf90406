import { describe, expect, it } from 'vitest';
import { accessAttributes, forbiddenText } from '../../src/serving/access/authorization-attributes.ts';
import { findEndpoint, type ServerSwitches } from '../../src/serving/endpoints.ts';

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
const without = (switched: keyof ServerSwitches): ServerSwitches => ({ ...all, [switched]: false });

describe("the kubelet's endpoints", () => {
  it.each([
    ['GET', '/healthz', 'healthz', {}],
    ['GET', '/healthz/ping', 'healthz', { check: 'ping' }],
    ['GET', '/pods', 'pods', {}],
    ['GET', '/pods/', 'pods', {}],
    ['HEAD', '/pods', 'pods', {}],
    ['POST', '/stats/summary', 'stats-summary', {}],
    ['GET', '/metrics/cadvisor', 'metrics-cadvisor', {}],
    ['GET', '/runningpods/', 'running-pods', {}],
    ['GET', '/containerLogs/a/b/c', 'container-logs', { namespace: 'a', pod: 'b', container: 'c' }],
    ['POST', '/exec/a/b/c', 'exec', { namespace: 'a', pod: 'b', container: 'c' }],
    ['POST', '/exec/a/b/u/c', 'exec', { namespace: 'a', pod: 'b', uid: 'u', container: 'c' }],
    ['GET', '/portForward/a/b', 'port-forward', { namespace: 'a', pod: 'b' }],
    ['GET', '/logs/', 'node-logs', {}],
    ['GET', '/logs/pods/x.log', 'node-logs', { rest: 'pods/x.log' }],
    ['GET', '/debug/pprof/profile', 'profile', { rest: 'profile' }],
  ])('%s %s', (method, path, name, parameters) => {
    const found = findEndpoint(method, path, all);
    expect(found).toMatchObject({ type: 'endpoint', name });
    expect(found.type === 'endpoint' && Object.fromEntries(found.parameters)).toEqual(parameters);
  });

  it.each([
    ['a path that is not there', 'GET', '/nothing', all, 404],
    ['too short a path', 'GET', '/containerLogs/a/b', all, 404],
    ['another method', 'DELETE', '/pods', all, 405],
    ['a way out of the log folder', 'GET', '/logs/../etc/shadow', all, 404],
    ['a way out in escapes', 'GET', '/logs/%2e%2e/etc/shadow', all, 404],
    ['a broken escape', 'GET', '/logs/%zz', all, 404],
    ['exec without debugging handlers', 'POST', '/exec/a/b/c', without('debuggingHandlers'), 405],
    ['configz without debugging handlers', 'GET', '/configz', without('debuggingHandlers'), 404],
    ['logs with their own switch off', 'GET', '/logs/', without('systemLogHandler'), 405],
    ['profiles with their own switch off', 'GET', '/debug/pprof/heap', without('profilingHandler'), 405],
    ['checkpoints without their gate', 'POST', '/checkpoint/a/b/c', without('containerCheckpoint'), 404],
  ])('refuse %s', (_, method, path, switches, status) => {
    expect(findEndpoint(method, path, switches)).toMatchObject({ type: 'refused', status });
  });
});

describe('the authorization attributes', () => {
  const node = { name: 'n1', fineGrained: true };
  it.each([
    ['GET', '/pods', 'get', ['pods', 'proxy']],
    ['GET', '/runningpods/', 'get', ['pods', 'proxy']],
    ['GET', '/healthz/ping', 'get', ['healthz', 'proxy']],
    ['GET', '/configz', 'get', ['configz', 'proxy']],
    ['GET', '/stats/summary', 'get', ['stats']],
    ['GET', '/metrics/cadvisor', 'get', ['metrics']],
    ['GET', '/logs/x', 'get', ['log']],
    ['POST', '/checkpoint/a/b/c', 'create', ['checkpoint']],
    ['GET', '/flagz', 'get', ['configz']],
    ['POST', '/exec/a/b/c', 'create', ['proxy']],
    ['GET', '/containerLogs/a/b/c', 'get', ['proxy']],
    ['PUT', '/debug/flags/v', 'update', ['proxy']],
    ['GET', '/podsmore', 'get', ['proxy']],
    ['OPTIONS', '/pods', '', ['pods', 'proxy']],
  ])('%s %s', (method, path, verb, subresources) => {
    const asked = accessAttributes({ method, path }, node);
    expect(asked.map(({ subresource }) => subresource)).toEqual(subresources);
    expect(asked.every((each) => each.verb === verb && each.name === 'n1')).toBe(true);
  });

  it('have only the resource proxy when fine-grained authorization is off', () => {
    const asked = accessAttributes({ method: 'GET', path: '/pods' }, { ...node, fineGrained: false });
    expect(asked.map(({ subresource }) => subresource)).toEqual(['proxy']);
  });

  it('are in the text of a denied request', () => {
    const asked = accessAttributes({ method: 'GET', path: '/pods' }, node);
    expect(forbiddenText('eve', asked)).toBe(
      'Forbidden (user=eve, verb=get, resource=nodes, subresource(s)=[pods proxy])\n',
    );
  });
});
