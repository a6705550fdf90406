import { describe, expect, it } from 'vitest';
import type { LifecycleHandler, Probe } from '../../src/kube/pod.ts';
import { handlerTarget } from '../../src/probing/probe-target.ts';
import { container } from '../pod/pods.ts';

const main = container('main', {
  ports: [
    { name: 'web', containerPort: 8080 },
    { name: 'admin', containerPort: 9090 },
  ],
  env: [
    { name: 'FILE', value: '/tmp/ok' },
    { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  ],
});

describe('the target of a handler', () => {
  it.each([
    {
      rule: 'a command is used unchanged',
      given: { exec: { command: ['true'] } },
      is: { type: 'exec', command: ['true'] },
    },
    {
      rule: 'variables of the definition are expanded, other variables are not',
      given: { exec: { command: ['cat', '$(FILE)', '$(NODE)'] } },
      is: { type: 'exec', command: ['cat', '/tmp/ok', '$(NODE)'] },
    },
    {
      rule: 'a port may be a name',
      given: { httpGet: { port: 'web', path: '/x' } },
      is: { type: 'http', scheme: 'http', host: '10.0.0.7', port: 8080, path: '/x', headers: [] },
    },
    {
      rule: 'a number written as text is a number',
      given: { tcpSocket: { port: '5432' } },
      is: { type: 'tcp', host: '10.0.0.7', port: 5432 },
    },
    {
      rule: "the handler's host replaces the address of the pod",
      given: { httpGet: { port: 80, host: 'db.test', scheme: 'HTTPS' } },
      is: { type: 'http', scheme: 'https', host: 'db.test', port: 80, path: '', headers: [] },
    },
    {
      rule: 'gRPC has a service',
      given: { grpc: { port: 5000, service: 'cheese' } },
      is: { type: 'grpc', host: '10.0.0.7', port: 5000, service: 'cheese' },
    },
    { rule: 'a hook may sleep', given: { sleep: { seconds: 3 } }, is: { type: 'sleep', seconds: 3 } },
    {
      rule: 'an unknown named port is an error',
      given: { tcpSocket: { port: 'ftp' } },
      is: { type: 'invalid', message: "couldn't find port: ftp" },
    },
    {
      rule: 'an invalid port is an error',
      given: { tcpSocket: { port: 70_000 } },
      is: { type: 'invalid', message: 'invalid port number: 70000' },
    },
  ] satisfies readonly { rule: string; given: LifecycleHandler & Pick<Probe, 'grpc'>; is: object }[])(
    '$rule',
    ({ given, is }) => {
      expect(handlerTarget(main, given, '10.0.0.7')).toEqual(is);
    },
  );

  it('is unknown while the pod has no address: the probe would reach this node', () => {
    expect(handlerTarget(main, { httpGet: { port: 80 } }, '').type).toBe('invalid');
    expect(handlerTarget(main, { exec: { command: ['true'] } }, '').type).toBe('exec');
  });
});
