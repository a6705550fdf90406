import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import type { ConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import { containerEnv } from '../../../src/pod/cri-config/env.ts';
import { parseEnvFile } from '../../../src/pod/cri-config/env-file.ts';
import { expandVariables } from '../../../src/pod/cri-config/expand-variables.ts';
import { serviceEnv } from '../../../src/pod/cri-config/service-env.ts';
import { podField } from '../../../src/pod/cri-config/pod-field.ts';
import type { Container, Pod } from '../../../src/kube/pod.ts';
import { goldenNode } from './golden-case.ts';

const pod = (source: 'api' | 'file'): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', uid: 'u', annotations: { 'kubernetes.io/config.source': source } },
  spec: { containers: [] },
});

const envOf = (container: Partial<Container>, sources: Partial<ConfigSources> = {}, source: 'api' | 'file' = 'api') =>
  containerEnv({
    pod: pod(source),
    container: { name: 'c', ...container },
    podIps: [],
    hostIps: ['192.0.2.1'],
    node: goldenNode,
    sources: { ...noConfigSources, ...sources },
    volumePath: () => undefined,
  });

describe('references to variables', () => {
  const values: Readonly<Record<string, string>> = { A: '1', B: '$(A)' };
  it.each([
    { text: '$(A)-$(A)', becomes: '1-1' },
    { text: '$(B)', becomes: '$(A)' },
    { text: '$$(A)', becomes: '$(A)' },
    { text: '$$$(A)', becomes: '$1' },
    { text: '$(NONE)', becomes: '$(NONE)' },
    { text: '$(A', becomes: '$(A' },
    { text: '$A ${A} 5$', becomes: '$A ${A} 5$' },
    { text: '$()', becomes: '$()' },
  ])('$text becomes $becomes', ({ text, becomes }) => {
    expect(expandVariables(text, (name) => values[name])).toBe(becomes);
  });

  it('do not change a text without dollars', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = text.replaceAll('$', '');
        expect(expandVariables(plain, () => 'x')).toBe(plain);
      }),
    );
  });
});

describe('the environment of a container', () => {
  it.each([
    {
      rule: 'an object that this node cannot have',
      container: { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
      message: 'secret "s" cannot be read: this node runs without an API server',
    },
    {
      rule: 'a field that does not exist',
      container: { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.none' } } }] },
      message: 'unsupported fieldPath: spec.none',
    },
    {
      rule: 'a container that does not exist',
      container: {
        env: [{ name: 'A', valueFrom: { resourceFieldRef: { containerName: 'x', resource: 'limits.cpu' } } }],
      },
      message: 'container x not found',
    },
  ] satisfies { rule: string; container: Partial<Container>; message: string }[])(
    'cannot be made from $rule',
    ({ container, message }) => {
      expect(envOf(container)).toEqual({ ok: false, reason: 'CreateContainerConfigError', message });
    },
  );

  it('waits for the services, unless the pod is static', () => {
    const unread: Partial<ConfigSources> = { services: () => ({ type: 'missing' }) };
    expect(envOf({}, unread)).toMatchObject({
      ok: false,
      message: 'services have not yet been read at least once, cannot construct envvars',
    });
    expect(envOf({}, unread, 'file')).toEqual({ ok: true, variables: new Map() });
  });

  it('omits missing optional sources', () => {
    const ref = { name: 'm', key: 'k', optional: true };
    const container: Partial<Container> = {
      envFrom: [{ configMapRef: { name: 'm', optional: true } }],
      env: [
        { name: 'A', valueFrom: { configMapKeyRef: ref } },
        { name: 'B', value: 'b' },
      ],
    };
    expect(envOf(container)).toEqual({ ok: true, variables: new Map([['B', 'b']]) });
  });

  it('prefers the container’s own variables over those of services', () => {
    const services: Partial<ConfigSources> = {
      services: () => ({
        type: 'found',
        value: [{ namespace: 'n', name: 'a-b', clusterIP: 'fd00::1', ports: [{ port: 1 }] }],
      }),
    };
    const env = envOf({ env: [{ name: 'A_B_SERVICE_HOST', value: 'mine' }] }, services);
    expect(env.ok && Object.fromEntries(env.variables)).toMatchObject({
      A_B_SERVICE_HOST: 'mine',
      A_B_SERVICE_PORT: '1',
      A_B_PORT: 'tcp://[fd00::1]:1',
    });
  });

  it('prefers a service of the namespace named like the one of the API server', () => {
    const services = ['default', 'n'].map((namespace, at) => ({
      namespace,
      name: 'kubernetes',
      clusterIP: `10.0.0.${at}`,
      ports: [{ port: 443 }],
    }));
    const host = (enableServiceLinks: boolean): string | undefined =>
      serviceEnv(services, { namespace: 'n', enableServiceLinks }).get('KUBERNETES_SERVICE_HOST');
    expect(host(true)).toBe('10.0.0.1');
    expect(host(false)).toBe('10.0.0.0');
  });
});

describe('a file of variables', () => {
  it.each([
    { rule: 'quoted values', text: "A='one'\nB='two words'\n", variables: { A: 'one', B: 'two words' } },
    { rule: 'comments and blank lines', text: "# c\n\n  A='1' # d\n", variables: { A: '1' } },
    { rule: 'values of several lines', text: "A='1\n2'", variables: { A: '1\n2' } },
    { rule: 'empty values', text: "A=''", variables: { A: '' } },
    { rule: 'the last of two', text: "A='1'\nA='2'", variables: { A: '2' } },
    { rule: 'nothing at all', text: '', variables: {} },
  ])('may hold $rule', ({ text, variables }) => {
    const file = parseEnvFile(text);
    expect(file.ok && Object.fromEntries(file.variables)).toEqual(variables);
  });

  it.each(['A=1', "A='1", "A = '1'", "='1'", "A='1' B='2'", 'export A'])('may not hold %s', (text) => {
    expect(parseEnvFile(text)).toEqual({ ok: false });
  });
});

describe('a field of a pod', () => {
  it.each([
    { fieldPath: "metadata.annotations['none']", value: '' },
    { fieldPath: 'status.podIPs', value: '10.0.0.1,fd00::1' },
    { fieldPath: 'spec.serviceAccountName', value: '' },
    { fieldPath: 'metadata.annotations', value: 'kubernetes.io/config.source="api"' },
    { fieldPath: 'metadata', value: undefined },
  ])('$fieldPath shows $value', ({ fieldPath, value }) => {
    expect(podField({ pod: pod('api'), podIps: ['10.0.0.1', 'fd00::1'], hostIps: [] }, fieldPath)).toBe(value);
  });
});

describe("the node's addresses in the environment", () => {
  const env = [
    { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
    { name: 'IPS', valueFrom: { fieldRef: { fieldPath: 'status.hostIPs' } } },
  ];
  const withHost = (hostIps: readonly string[]) =>
    containerEnv({
      pod: pod('file'),
      container: { name: 'c', env },
      podIps: [],
      hostIps,
      node: goldenNode,
      sources: noConfigSources,
      volumePath: () => undefined,
    });

  it('are its primary address, and all of them', () => {
    const made = withHost(['10.0.0.7', 'fd00::7']);
    expect(made.ok && [...made.variables]).toEqual([
      ['IP', '10.0.0.7'],
      ['IPS', '10.0.0.7,fd00::7'],
    ]);
  });

  it('keep the container waiting while the node has none', () => {
    expect(withHost([])).toMatchObject({
      ok: false,
      reason: 'CreateContainerConfigError',
      message: 'host IP unknown: this node has no InternalIP and no ExternalIP',
    });
  });
});
