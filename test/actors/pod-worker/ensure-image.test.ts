import { describe, expect, it } from 'vitest';
import { ensureImage } from '../../../actors/pod-worker/ensure-image.ts';
import type { CriOutcome } from '../../../src/cri/fault.ts';
import { PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import type { Container } from '../../../src/kube/pod.ts';
import { container, pod } from '../../pod/pods.ts';
import { FakeCriClient, criFault } from '../../support/fake-cri-client.ts';
import { Round } from '../../../actors/pod-worker/round.ts';
import { fakeTools } from './effects-support.ts';

const absent: () => CriOutcome<object> = () => ({ ok: true, value: {} });
const IMAGE = 'registry.test/app:1';

async function ensured(parts: Partial<Container>, cri: FakeCriClient, before?: Round) {
  const fakes = fakeTools(cri);
  const one = pod({ containers: [container('main', parts)] });
  const round = new Round(one, fakes.tools, before?.failedPulls ?? new Map());
  const image = await ensureImage(round, one.spec.containers[0] ?? container('main'), PodSandboxConfig.fromPartial({}));
  return { ...fakes, round, image, failure: round.result().failures.get('main') };
}

describe('the image of a container', () => {
  it('is used as it is where it is present', async () => {
    const { cri, image, said } = await ensured({}, new FakeCriClient());
    expect(cri.methods).toEqual(['ImageStatus']);
    expect(image).toEqual({ ref: 'sha256:1' });
    expect(said()).toEqual([
      `Pulled: Container image "${IMAGE}" already present on machine and can be accessed by the pod`,
    ]);
  });

  it('is pulled where it is absent, and its size read afterwards', async () => {
    const cri = new FakeCriClient({ ImageStatus: (_, times) => (times === 1 ? absent() : undefined) });
    const { image, said } = await ensured({}, cri);
    expect(cri.methods).toEqual(['ImageStatus', 'PullImage', 'ImageStatus']);
    expect(image).toEqual({ ref: 'sha256:1' });
    expect(said()[0]).toBe(`Pulling: Pulling image "${IMAGE}"`);
    expect(said()[1]).toMatch(/^Pulled: Successfully pulled image .* Image size: 5 bytes\.$/);
  });

  it('is pulled under every circumstance where the policy says so', async () => {
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

  it('that could not be pulled is left alone for 10 s, and the reason stays in the message', async () => {
    const script = { ImageStatus: absent, PullImage: () => criFault('NOT_FOUND', 'no such tag') };
    const { round } = await ensured({}, new FakeCriClient(script));
    const { cri, failure, said } = await ensured({}, new FakeCriClient(script), round);
    expect(cri.methods).toEqual(['ImageStatus']);
    expect(failure).toEqual({
      reason: 'ImagePullBackOff',
      message: `Back-off pulling image "${IMAGE}": ErrImagePull: rpc error: code = NotFound desc = no such tag`,
      until: 10_000,
    });
    expect(said()).toEqual([`BackOff: Back-off pulling image "${IMAGE}"`, 'Failed: Error: ImagePullBackOff']);
  });

  it('is forgiven once it could be pulled', async () => {
    const failing = { ImageStatus: absent, PullImage: () => 'NOT_FOUND' as const };
    const { round } = await ensured({}, new FakeCriClient(failing));
    const fakes = fakeTools(new FakeCriClient({ ImageStatus: absent }));
    fakes.clock.advance(10_000);
    const later = new Round(pod(), fakes.tools, round.failedPulls);
    await ensureImage(later, container('main'), PodSandboxConfig.fromPartial({}));
    expect([...later.failedPulls]).toEqual([]);
  });

  it('leaves the round in doubt when the runtime is away', async () => {
    const { round, failure } = await ensured({}, new FakeCriClient({ ImageStatus: () => 'UNAVAILABLE' }));
    expect(round.result().inDoubt).toBe(true);
    expect(failure).toBeUndefined();
  });
});
