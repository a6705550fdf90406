import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodeUnderTest } from '../support/agent-process/node-under-test.ts';
import { containerStatusOf, untilPod, untilRunning } from '../support/agent-process/observe-pods.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { skipWithoutContainerd } from '../support/containerd/skip-without-containerd.ts';
import { PrivateRegistry, REGISTRY_LOGIN, skipWithoutRegistry } from '../support/private-registry.ts';

const SUITE = 'images of a registry that requires a login, on real containerd';
const V1 = 'credentialprovider.kubelet.k8s.io/v1';

const skip = skipWithoutContainerd(SUITE) || skipWithoutRegistry(SUITE);
describe.skipIf(skip)('images of a registry that requires a login, on real containerd', { timeout: 60_000 }, () => {
  let node: NodeUnderTest;
  let registry: PrivateRegistry;
  let digest: string;
  const image = (name: string): string => `${registry.host}/${name}`;

  const loginSecret = (name: string, login: { readonly username: string; readonly password: string }) =>
    node.folder.put(
      `${name}.yaml`,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [registry.host]: login } }) },
      },
      node.folder.objects,
    );

  async function pod(name: string, wanted: { image: string; secret?: string; policy?: string }): Promise<void> {
    const { secret, policy = 'IfNotPresent' } = wanted;
    const manifest = podManifest(name, { spec: secret === undefined ? {} : { imagePullSecrets: [{ name: secret }] } });
    const containers = manifest.spec.containers.map((each) => ({
      ...each,
      image: wanted.image,
      imagePullPolicy: policy,
    }));
    await node.folder.put(`${name}.yaml`, { ...manifest, spec: { ...manifest.spec, containers } });
  }

  /** Waits until a pod waits for the given reason, and returns the message. */
  async function waits(name: string, reason: string): Promise<string> {
    const waiting = (each: Parameters<typeof containerStatusOf>[0]) =>
      each.status?.containerStatuses?.[0]?.state?.waiting;
    const condition = (each: Parameters<typeof containerStatusOf>[0]): boolean => waiting(each)?.reason === reason;
    return waiting(await untilPod(node.admin, name, { condition, what: `waits: ${reason}` }))?.message ?? '';
  }

  /** A provider with the login for images below `by-plugin`, which records its requests. */
  async function provider(): Promise<{ config: string; binDir: string }> {
    const binDir = join(node.folder.dir, 'providers');
    await mkdir(binDir);
    const response = {
      kind: 'CredentialProviderResponse',
      apiVersion: V1,
      cacheKeyType: 'Registry',
      cacheDuration: '1h',
      auth: { [`${registry.host}/by-plugin`]: REGISTRY_LOGIN },
    };
    const script = `#!/bin/sh\n{ cat; echo " $1 $MOOD"; } >> ${binDir}/asked\ncat <<'END'\n${JSON.stringify(response)}\nEND\n`;
    await writeFile(join(binDir, 'knows'), script, { mode: 0o755 });
    const config = join(node.folder.dir, 'providers.yaml');
    const known = {
      name: 'knows',
      apiVersion: V1,
      matchImages: [`${registry.host}/by-plugin`],
      defaultCacheDuration: '0s',
      args: ['get'],
      env: [{ name: 'MOOD', value: 'good' }],
    };
    await writeFile(
      config,
      JSON.stringify({ kind: 'CredentialProviderConfig', apiVersion: 'kubelet.config.k8s.io/v1', providers: [known] }),
    );
    return { config, binDir };
  }

  beforeAll(async () => {
    [node, registry] = await Promise.all([NodeUnderTest.prepare('containerd'), PrivateRegistry.start()]);
    const { containerd } = node.runtime;
    if (containerd === undefined) throw new Error('there is no containerd');
    [digest] = await Promise.all([
      registry.push('team/app:1', containerd),
      registry.push('by-plugin/app:1', containerd),
    ]);
    await loginSecret('right', REGISTRY_LOGIN);
    await loginSecret('wrong', { ...REGISTRY_LOGIN, password: 'guessed' });
    await node.folder.configure({ serializeImagePulls: false });
    await node.startAgent({ objects: 'folder', credentialProviders: await provider() });
  }, 60_000);
  afterAll(async () => {
    await node?.stop();
    await registry?.stop();
  }, 60_000);

  it('are not pulled with a wrong login, which is reported and retried with a back-off', async () => {
    await pod('wrong', { image: image('team/app:1'), secret: 'wrong' });
    await pod('early', { image: image('team/app:1'), secret: 'right', policy: 'Never' });
    const message = await waits('wrong', 'ImagePullBackOff');
    expect(message).toContain(`Back-off pulling image "${image('team/app:1')}": ErrImagePull: `);
    expect(message).toContain('401 Unauthorized');
    expect(await waits('early', 'ErrImageNeverPull')).toBe(
      `Container image "${image('team/app:1')}" is not present with pull policy of Never`,
    );
  });

  it('are pulled with the pod’s secret by tag, by digest and always, and with the login of a provider', async () => {
    await pod('right', { image: image('team/app:1'), secret: 'right' });
    await pod('by-digest', { image: image(`team/app@${digest}`), secret: 'right', policy: 'Always' });
    await pod('by-plugin', { image: image('by-plugin/app:1') });
    for (const name of ['right', 'by-digest', 'by-plugin']) await untilRunning(node.admin, name);
    const asked = await readFile(join(node.folder.dir, 'providers', 'asked'), 'utf8');
    expect(asked).toBe(
      `{"kind":"CredentialProviderRequest","apiVersion":"${V1}","image":"${image('by-plugin/app')}"} get good\n`,
    );
  });

  it('that are present are denied to pods without the secret, and permitted to pods with it', async () => {
    await pod('stranger', { image: image('team/app:1') });
    await pod('sly', { image: image('team/app:1'), policy: 'Never' });
    await pod('friend', { image: image('team/app:1'), secret: 'right', policy: 'Never' });
    await pod('neighbour', { image: image('by-plugin/app:1'), policy: 'Never' });
    expect(await waits('stranger', 'ImagePullBackOff')).toMatch(
      /ErrImagePull: .*(authorization failed|401 Unauthorized|no basic auth)/,
    );
    expect(await waits('sly', 'ErrImageNeverPull')).toBe(
      `Container image "${image('team/app:1')}" is present with pull policy of Never but does not have the proper credentials to access it`,
    );
    await untilRunning(node.admin, 'friend');
    await untilRunning(node.admin, 'neighbour');
  });

  it('have records without any login', async () => {
    const place = join(node.folder.rootDir, 'image_manager');
    const records = await Promise.all(
      (await readdir(join(place, 'pulled'))).map((name) => readFile(join(place, 'pulled', name), 'utf8')),
    );
    const mappings = records.map((text) => (JSON.parse(text) as { credentialMapping: object }).credentialMapping);
    expect(mappings).toContainEqual({ [image('by-plugin/app')]: { nodePodsAccessible: true } });
    expect(mappings).toContainEqual({
      [image('team/app')]: { kubernetesSecrets: [expect.objectContaining({ name: 'right' })] },
    });
    expect(records.join('')).not.toContain(REGISTRY_LOGIN.password);
    expect(await readdir(join(place, 'pulling'))).toEqual([]);
  });
});
