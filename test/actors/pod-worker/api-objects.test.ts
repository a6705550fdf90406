import { describe, expect, it } from 'vitest';
import type { PodObjects } from '../../../actors/object-cache/client.ts';
import { startContainer } from '../../../actors/pod-worker/act/start-container.ts';
import { PodSandboxConfig, type CreateContainerRequest, type PullImageRequest } from '../../../src/cri/gen/api.ts';
import { sandboxId } from '../../../src/kube/ids.ts';
import type { Container } from '../../../src/kube/pod.ts';
import { noConfigSources, type ConfigSources } from '../../../src/pod/cri-config/config-sources.ts';
import { container, pod, runtime } from '../../pod/pods.ts';
import { criFault, FakeCriClient } from '../../support/fake-cri-client.ts';
import { attemptWith, ensured, fakeTools } from './effects-support.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function objects(parts: Partial<PodObjects> & { readonly sources?: Partial<ConfigSources> } = {}): PodObjects {
  return {
    sourcesFor: async () => ({
      ...noConfigSources,
      services: () => ({ type: 'found', value: [] }),
      ...parts.sources,
    }),
    pullSecrets: async () => ({ secrets: [], without: [] }),
    runtimeHandler: async () => ({ type: 'missing' }),
    ...parts,
  };
}

function attemptOn(given: PodObjects, { spec = {}, cri = new FakeCriClient(), main = {} as Partial<Container> }) {
  const fakes = fakeTools(cri);
  const one = pod({ containers: [container('main', main)] });
  const attempt = attemptWith({ ...fakes.tools, objects: given }, { pod: { ...one, spec: { ...one.spec, ...spec } } });
  return { ...fakes, attempt, main: one.spec.containers[0] ?? container('main') };
}

async function started(given: PodObjects, main: Partial<Container>) {
  const fakes = attemptOn(given, { main });
  const { stop } = await startContainer(fakes.attempt, fakes.main, {
    runtime: runtime({}),
    sandboxId: sandboxId('s'),
    sandbox: PodSandboxConfig.fromPartial({}),
    podIps: ['10.0.0.5'],
    userIds: undefined,
    observedAt: undefined,
    volumePaths: {},
    failedPulls: new Map(),
  });
  const created = fakes.cri.calls.find(({ method }) => method === 'CreateContainer')?.request as
    CreateContainerRequest | undefined;
  const env = Object.fromEntries(
    (created?.config?.envs ?? []).map(({ key, value }) => [key, Buffer.from(value).toString()]),
  );
  return { env, failure: stop?.type === 'container-failed' ? stop.failure : undefined };
}

const fromConfigMap = (optional?: boolean): Partial<Container> => ({
  env: [
    {
      name: 'LEVEL',
      valueFrom: { configMapKeyRef: { name: 'settings', key: 'level', ...(optional === true && { optional }) } },
    },
  ],
});

describe('a container of a pod with an API server', () => {
  it('has its references and the services in its environment', async () => {
    const sources: Partial<ConfigSources> = {
      configMap: () => ({ type: 'found', value: { level: 'high' } }),
      services: () => ({
        type: 'found',
        value: [{ namespace: 'default', name: 'kubernetes', clusterIP: '10.0.0.1', ports: [{ port: 443 }] }],
      }),
    };
    const { env } = await started(objects({ sources }), fromConfigMap());
    expect(env).toMatchObject({ LEVEL: 'high', KUBERNETES_SERVICE_HOST: '10.0.0.1' });
  });

  it.each<{ rule: string; sources: Partial<ConfigSources>; main: Partial<Container>; says: string }>([
    {
      rule: 'whose config map is missing waits for it',
      sources: { configMap: () => ({ type: 'missing' }) },
      main: fromConfigMap(),
      says: 'configmap "settings" not found',
    },
    {
      rule: 'waits for an unavailable object, even if it is optional',
      sources: { configMap: () => ({ type: 'unavailable', message: 'timed out' }) },
      main: fromConfigMap(true),
      says: 'timed out',
    },
    {
      rule: 'waits for the services to be known',
      sources: { services: () => ({ type: 'missing' }) },
      main: {},
      says: 'services have not yet been read at least once, cannot construct envvars',
    },
  ])('$rule', async ({ sources, main, says }) => {
    const { failure } = await started(objects({ sources }), main);
    expect(failure).toMatchObject({ reason: 'CreateContainerConfigError', message: says });
  });
});

describe('an image that needs a login', () => {
  const auths = { 'registry.test': { auth: base64('all:1') }, 'registry.test/app': { auth: base64('team:2') } };
  const secret = {
    resourceVersion: '1',
    uid: 'u',
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64(JSON.stringify({ auths })) },
  };
  const spec = { imagePullSecrets: [{ name: 'login' }] };
  const absent = (_: unknown, times: number) => (times === 1 ? { ok: true as const, value: {} } : undefined);

  async function pulled(given: PodObjects, cri: FakeCriClient) {
    const fakes = attemptOn(given, { spec, cri });
    const { image, failure } = await ensured(fakes.attempt, fakes.main);
    const logins = cri.calls
      .filter(({ method }) => method === 'PullImage')
      .map(({ request }) => (request as PullImageRequest).auth?.username);
    return { ...fakes, image, logins, failure };
  }

  it('is pulled with the login that fits best', async () => {
    const given = objects({ pullSecrets: async () => ({ secrets: [secret], without: [] }) });
    const { logins, image } = await pulled(given, new FakeCriClient({ ImageStatus: absent }));
    expect(logins).toEqual(['team']);
    expect(image).toBeDefined();
  });

  it('is pulled with the next login when the first is rejected', async () => {
    const given = objects({ pullSecrets: async () => ({ secrets: [secret], without: [] }) });
    const PullImage = (_: unknown, times: number) => (times === 1 ? criFault('UNKNOWN', 'denied') : undefined);
    const { logins, image } = await pulled(given, new FakeCriClient({ ImageStatus: absent, PullImage }));
    expect(logins).toEqual(['team', 'all']);
    expect(image).toBeDefined();
  });

  it('is pulled without a login when the secret is missing, with an event', async () => {
    const given = objects({ pullSecrets: async () => ({ secrets: [], without: ['login'] }) });
    const { logins, said } = await pulled(given, new FakeCriClient({ ImageStatus: absent }));
    expect(logins).toEqual([undefined]);
    expect(said()).toContain(
      'FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (login); attempting to pull the image may not succeed.',
    );
  });
});
