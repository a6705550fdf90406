import { describe, expect, it } from 'vitest';
import type { PullPermission } from '../../../../actors/image-manager/protocol.ts';
import type { NodeImages } from '../../../../actors/image-manager/client.ts';
import type { PodObjects } from '../../../../actors/object-cache/client.ts';
import type { ActResult } from '../../../../actors/pod-worker/protocol.ts';
import type { CriOutcome } from '../../../../src/cri/fault.ts';
import type { Container } from '../../../../src/kube/pod.ts';
import { container, pod } from '../../../pod/pods.ts';
import { FakeCriClient, criFault } from '../../../support/fake-cri-client.ts';
import { attemptWith, ensured as imageEnsured, fakeTools } from '../effects-support.ts';

const absent: () => CriOutcome<object> = () => ({ ok: true, value: {} });
const IMAGE = 'registry.test/app:1';

async function ensured(parts: Partial<Container>, cri: FakeCriClient, before?: ActResult) {
  const fakes = fakeTools(cri);
  const main = container('main', parts);
  const done = await imageEnsured(fakes.attempt(pod({ containers: [main] })), main, before?.failedPulls);
  return { ...fakes, ...done };
}

describe('the image of a container', () => {
  it('is used without a pull if present', async () => {
    const { cri, image, said } = await ensured({}, new FakeCriClient());
    expect(cri.methods).toEqual(['ImageStatus']);
    expect(image).toEqual({ ref: 'sha256:1' });
    expect(said()).toEqual([
      `Pulled: Container image "${IMAGE}" already present on machine and can be accessed by the pod`,
    ]);
  });

  it('is pulled if absent, and its size is read afterwards', async () => {
    const cri = new FakeCriClient({ ImageStatus: (_, times) => (times === 1 ? absent() : undefined) });
    const { image, said } = await ensured({}, cri);
    expect(cri.methods).toEqual(['ImageStatus', 'PullImage', 'ImageStatus']);
    expect(image).toEqual({ ref: 'sha256:1' });
    expect(said()[0]).toBe(`Pulling: Pulling image "${IMAGE}"`);
    expect(said()[1]).toMatch(/^Pulled: Successfully pulled image .* Image size: 5 bytes\.$/);
  });

  it('is always pulled with the policy Always', async () => {
    const { cri } = await ensured({ imagePullPolicy: 'Always' }, new FakeCriClient());
    expect(cri.methods).toEqual(['PullImage', 'ImageStatus']);
  });

  it.each<{ reason: string; parts: Partial<Container>; script: FakeCriClient['script'] }>([
    { reason: 'InvalidImageName', parts: { image: 'Not An Image' }, script: {} },
    { reason: 'ErrImageNeverPull', parts: { imagePullPolicy: 'Never' as const }, script: { ImageStatus: absent } },
    { reason: 'ImageInspectError', parts: {}, script: { ImageStatus: () => 'INTERNAL' as const } },
    { reason: 'ErrImagePull', parts: {}, script: { ImageStatus: absent, PullImage: () => 'NOT_FOUND' as const } },
    {
      reason: 'RegistryUnavailable',
      parts: {},
      script: { ImageStatus: absent, PullImage: () => criFault('UNKNOWN', 'RegistryUnavailable: no route') },
    },
  ])('shows $reason', async ({ reason, parts, script }) => {
    const { image, failure, said } = await ensured(parts, new FakeCriClient(script));
    expect(image).toBeUndefined();
    expect(failure?.reason).toBe(reason);
    expect(said().length).toBeGreaterThan(0);
  });

  it('is not pulled again for 10 s after a failure, and the reason stays in the message', async () => {
    const script = { ImageStatus: absent, PullImage: () => criFault('NOT_FOUND', 'no such tag') };
    const { outcome } = await ensured({}, new FakeCriClient(script));
    const { cri, failure, said } = await ensured({}, new FakeCriClient(script), outcome);
    expect(cri.methods).toEqual(['ImageStatus']);
    expect(failure).toEqual({
      reason: 'ImagePullBackOff',
      message: `Back-off pulling image "${IMAGE}": ErrImagePull: rpc error: code = NotFound desc = no such tag`,
      until: 10_000,
    });
    expect(said()).toEqual([`BackOff: Back-off pulling image "${IMAGE}"`, 'Failed: Error: ImagePullBackOff']);
  });

  it('has its pull back-off reset by a successful pull', async () => {
    const failing = { ImageStatus: absent, PullImage: () => 'NOT_FOUND' as const };
    const { outcome } = await ensured({}, new FakeCriClient(failing));
    expect(outcome.failedPulls.size).toBe(1);
    const fakes = fakeTools(new FakeCriClient({ ImageStatus: absent }));
    fakes.clock.advance(10_000);
    const later = await imageEnsured(fakes.attempt(pod()), container('main'), outcome.failedPulls);
    expect([...later.outcome.failedPulls]).toEqual([]);
  });

  it('leaves the attempt in doubt when the runtime is unavailable', async () => {
    const { outcome, failure } = await ensured({}, new FakeCriClient({ ImageStatus: () => 'UNAVAILABLE' }));
    expect(outcome.inDoubt).toBe(true);
    expect(failure).toBeUndefined();
  });
});

describe('the image of a container, with an image manager', () => {
  const secrets = [
    {
      type: 'kubernetes.io/dockerconfigjson',
      data: {
        '.dockerconfigjson': btoa(JSON.stringify({ auths: { 'registry.test': { username: 'u', password: 'p' } } })),
      },
      uid: 'secret-uid',
      namespace: 'shop',
      name: 'login',
    },
  ];
  const own = expect.objectContaining({ uid: 'secret-uid', namespace: 'shop', name: 'login' }) as unknown;
  const LEAVE: PullPermission = { type: 'allowed', logins: [{ username: 'of-node', password: 'n' }] };

  async function managed(options: {
    readonly cri: FakeCriClient;
    readonly mayUse?: boolean | undefined;
    readonly leave?: PullPermission | undefined;
    readonly hasSecret?: boolean;
  }) {
    const { cri, hasSecret = false } = options;
    const ended: unknown[] = [];
    const images: NodeImages = {
      mayUse: () => Promise.resolve(options.mayUse),
      beginPull: () => Promise.resolve(options.leave),
      endPull: (image, _, pulled) => {
        ended.push(pulled ?? `failed: ${image}`);
        return Promise.resolve();
      },
    };
    const objects = { pullSecrets: () => Promise.resolve({ secrets, without: [] }) } as unknown as PodObjects;
    const fakes = fakeTools(cri);
    const one = pod({ ...(hasSecret && { imagePullSecrets: [{ name: 'login' }] }) });
    const attempt = attemptWith({ ...fakes.tools, images, objects }, { pod: one });
    const { image, failure } = await imageEnsured(attempt, container('main'));
    const logins = cri.requests('PullImage').map(({ auth }) => auth?.username);
    return { image, ended, logins, failure };
  }

  it('is used if the pod has access, and otherwise pulled although it is present', async () => {
    const used = await managed({ cri: new FakeCriClient(), mayUse: true });
    expect(used).toMatchObject({ image: { ref: 'sha256:1' }, logins: [], ended: [] });
    const barred = await managed({ cri: new FakeCriClient(), mayUse: false, leave: LEAVE });
    expect(barred).toMatchObject({ image: { ref: 'sha256:1' }, logins: ['of-node'] });
  });

  it('is pulled with the pod’s own login first, and the accepted login is reported', async () => {
    const refused = new FakeCriClient({
      ImageStatus: absent,
      PullImage: (_, times) => (times === 1 ? 'UNKNOWN' : undefined),
    });
    const byNode = await managed({ cri: refused, leave: LEAVE, hasSecret: true });
    expect(byNode.logins).toEqual(['u', 'of-node']);
    expect(byNode.ended).toMatchObject([{ access: 'node' }]);
    const byPod = await managed({ cri: new FakeCriClient({ ImageStatus: absent }), leave: LEAVE, hasSecret: true });
    expect(byPod.logins).toEqual(['u']);
    expect(byPod.ended).toMatchObject([{ access: own }]);
  });

  it('is recorded as pulled by the service account whose login was accepted', async () => {
    const account = { uid: 'a', namespace: 'shop', name: 'builder' };
    const leave: PullPermission = { type: 'allowed', logins: [{ username: 'of-account', password: 'n', account }] };
    const { ended, logins } = await managed({ cri: new FakeCriClient({ ImageStatus: absent }), leave });
    expect(logins).toEqual(['of-account']);
    expect(ended).toMatchObject([{ access: { serviceAccount: account } }]);
  });

  it('is reported after a failed pull too', async () => {
    const cri = new FakeCriClient({ ImageStatus: absent, PullImage: () => 'NOT_FOUND' });
    const { ended, failure } = await managed({ cri, leave: { type: 'allowed', logins: [] } });
    expect(ended).toEqual([`failed: ${IMAGE}`]);
    expect(failure?.reason).toBe('ErrImagePull');
  });

  it('keeps its pull intent if the outcome of the pull is unknown', async () => {
    const cri = new FakeCriClient({ ImageStatus: absent, PullImage: () => 'UNAVAILABLE' });
    expect((await managed({ cri, leave: { type: 'allowed', logins: [] } })).ended).toEqual([]);
  });

  it.each<{ what: string; leave: PullPermission | undefined; reason: string; message: string }>([
    {
      what: 'without an answer of the image manager',
      leave: undefined,
      reason: 'ContainerCreating',
      message: 'the image manager does not answer',
    },
    {
      what: 'when its pull intent cannot be written',
      leave: { type: 'intent-not-written', problem: 'disk full' },
      reason: 'ContainerCreating',
      message: 'cannot record that the pull begins: disk full',
    },
    {
      what: 'beyond the pull rate',
      leave: { type: 'rate-limited' },
      reason: 'ErrImagePull',
      message: 'pull QPS exceeded',
    },
  ])('is not pulled $what: $reason', async ({ leave, reason, message }) => {
    const { logins, failure, ended } = await managed({ cri: new FakeCriClient({ ImageStatus: absent }), leave });
    expect({ logins, ended }).toEqual({ logins: [], ended: [] });
    expect(failure).toMatchObject({ reason, message });
  });

  it('is neither used nor pulled while the access of the pod is unknown', async () => {
    const { image, logins, failure } = await managed({ cri: new FakeCriClient(), mayUse: undefined });
    expect({ image, logins }).toEqual({ image: undefined, logins: [] });
    expect(failure).toMatchObject({ reason: 'ContainerCreating', message: 'the image manager does not answer' });
  });
});
