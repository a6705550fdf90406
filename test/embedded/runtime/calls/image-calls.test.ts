import { describe, expect, it } from 'vitest';
import { type Image, ImageSpec, PullImageRequest } from '../../../../src/cri/gen/api.ts';
import { simulate } from '../simulate.ts';

type Runtime = ReturnType<typeof simulate>;

const statusOf = (runtime: Runtime, image: string): Image | undefined =>
  runtime.core.images.imageStatus({ image: ImageSpec.create({ image }), verbose: false }).image;

const pull = async (runtime: Runtime, image: string, username?: string): Promise<string> => {
  const request = PullImageRequest.create({ image: { image }, ...(username && { auth: { username } }) });
  return (await runtime.core.images.pullImage(request)).imageRef;
};

describe('a simulated image', () => {
  it('that the script does not list is present from the start', () => {
    expect(statusOf(simulate(), 'registry.test/app:1')).toMatchObject({
      id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
      repoTags: ['registry.test/app:1'],
      size: 1000n,
      uid: undefined,
      username: '',
    });
  });

  it('that the script lists is absent until a pull succeeds', async () => {
    const runtime = simulate({ images: { 'a:1': ['err@100ms:manifest unknown', 'ok@300ms'] } });
    expect(statusOf(runtime, 'a:1')).toBeUndefined();
    const failing = pull(runtime, 'a:1');
    runtime.clock.advance(100);
    await expect(failing).rejects.toMatchObject({ code: 'Unknown', message: 'manifest unknown' });
    expect(statusOf(runtime, 'a:1')).toBeUndefined();
    const pulling = pull(runtime, 'a:1');
    runtime.clock.advance(300);
    expect(await pulling).toBe(statusOf(runtime, 'a:1')?.id);
  });

  it('is pulled only with the scripted login', async () => {
    const runtime = simulate({ images: { 'private:1': [{ do: 'ok', auth: 'puller' }] } });
    const denied = { code: 'Unknown', message: 'pull access denied for private:1: authorization failed' };
    await expect(pull(runtime, 'private:1')).rejects.toMatchObject(denied);
    await expect(pull(runtime, 'private:1', 'somebody')).rejects.toMatchObject(denied);
    await expect(pull(runtime, 'private:1', 'puller')).resolves.toMatch(/^sha256:/);
  });

  it('stays absent if the caller of the pull goes away', async () => {
    const runtime = simulate({ images: { 'slow:1': ['ok@60s', 'ok'] } });
    let leave = (): void => {};
    const request = PullImageRequest.create({ image: { image: 'slow:1' } });
    const pulling = runtime.core.images.pullImage(request, { whenGone: (left) => void (leave = left) });
    leave();
    await expect(pulling).rejects.toMatchObject({ code: 'Cancelled' });
    runtime.clock.advance(60_000);
    expect(statusOf(runtime, 'slow:1')).toBeUndefined();
    await pull(runtime, 'slow:1');
    expect(statusOf(runtime, 'slow:1')).toBeDefined();
  });

  it.each([
    { user: '1000', says: { uid: { value: 1000n }, username: '' } },
    { user: 'app', says: { uid: undefined, username: 'app' } },
  ])('reports its user $user', ({ user, says }) => {
    expect(statusOf(simulate({ imageUsers: { 'app:1': user } }), 'app:1')).toMatchObject(says);
  });

  it('is absent after its removal, by name or by ID, until the next pull', async () => {
    const runtime = simulate();
    const id = statusOf(runtime, 'app:1')?.id ?? '';
    runtime.core.images.removeImage({ image: ImageSpec.create({ image: id }) });
    expect([statusOf(runtime, 'app:1'), statusOf(runtime, id)]).toEqual([undefined, undefined]);
    await pull(runtime, 'app:1');
    expect(statusOf(runtime, id)?.repoTags).toEqual(['app:1']);
  });

  it('is absent by an unknown ID', () => {
    expect(statusOf(simulate(), `sha256:${'0'.repeat(64)}`)).toBeUndefined();
  });

  it('creates containers by its ID, which keep the image name from the spec of the pod', async () => {
    const runtime = simulate();
    const image = statusOf(runtime, 'app:1')?.id ?? '';
    const config = { image: { image, userSpecifiedImage: 'app:1' } };
    const id = await runtime.create(await runtime.runPod('web'), 'main', { config });
    expect(runtime.status(id)).toMatchObject({ image: { image: 'app:1' }, imageRef: image, imageId: image });
  });
});
