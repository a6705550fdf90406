import { describe, expect, it } from 'vitest';

import { advanced } from '../../../src/pod/sync/exponential-back-off.ts';
import {
  IMAGE_BACK_OFF_LIMITS,
  imageQuestion,
  imageVerdict,
  pulledEvent,
  pullBackOff,
  pullBackOffKey,
  pullFailure,
} from '../../../src/pod/image/image-pull-decision.ts';
import type { ImagePresence, PullPolicy } from '../../../src/pod/image/image-pull-decision.ts';
import { parseImageReference } from '../../../src/pod/image/image-reference.ts';
import { NOW, pod } from '../pods.ts';

const HEX = 'a'.repeat(64);
const IMAGE = 'registry.test/app:1';

describe('an image name', () => {
  it.each([
    ['app', 'app:latest'],
    ['app:1', 'app:1'],
    ['team/app', 'team/app:latest'],
    ['localhost/app', 'localhost/app:latest'],
    ['registry.test:5000/a/b', 'registry.test:5000/a/b:latest'],
    ['registry.test:5000/a/b:1', 'registry.test:5000/a/b:1'],
    [`app@sha256:${HEX}`, `app@sha256:${HEX}`],
    [`app:1@sha256:${HEX}`, `app:1@sha256:${HEX}`],
    ['[::1]:5000/app', '[::1]:5000/app:latest'],
    ['a__b/c--d.e', 'a__b/c--d.e:latest'],
  ])('%s means %s', (written, image) => {
    expect(parseImageReference(written)).toEqual({ ok: true, image });
  });

  it.each([
    ['', 'invalid reference format'],
    ['registry.example/UPPER/Case:v1', 'invalid reference format: repository name (UPPER/Case) must be lowercase'],
    ['app:', 'invalid reference format'],
    ['app:bad tag', 'invalid reference format'],
    ['a..b', 'invalid reference format'],
    ['-app', 'invalid reference format'],
    [`app:${'t'.repeat(129)}`, 'invalid reference format'],
    [HEX, `invalid repository name (${HEX}), cannot specify 64-byte hexadecimal strings`],
    [`registry.test/${'a'.repeat(250)}`, 'repository name must not be more than 255 characters'],
    [`app@sha256:${HEX.slice(1)}`, 'invalid checksum digest length'],
    ['app@sha256:xyz', 'invalid reference format'],
  ])('%s is refused', (written, why) => {
    expect(parseImageReference(written)).toEqual({
      ok: false,
      message: `couldn't parse image name "${written}": ${why}`,
    });
  });
});

describe('the first decision about an image', () => {
  it.each<{ image: string; imagePullPolicy?: PullPolicy; step: object }>([
    { image: IMAGE, step: { type: 'inspect', image: IMAGE, policy: 'IfNotPresent' } },
    { image: 'app', step: { type: 'pull', image: 'app:latest', policy: 'Always' } },
    { image: IMAGE, imagePullPolicy: 'Always', step: { type: 'pull', image: IMAGE, policy: 'Always' } },
    { image: 'app', imagePullPolicy: 'Never', step: { type: 'inspect', image: 'app:latest', policy: 'Never' } },
  ])('for $image under $imagePullPolicy is $step.type', ({ step, ...given }) => {
    expect(imageQuestion(given)).toEqual(step);
  });

  it('rejects a malformed name, with the event', () => {
    const message =
      'Failed to apply default image tag "UP": couldn\'t parse image name "UP": invalid reference format: repository name (library/UP) must be lowercase';
    expect(imageQuestion({ image: 'UP' })).toEqual({
      type: 'refuse',
      refusal: { reason: 'InvalidImageName', message, event: { type: 'Warning', reason: 'InspectFailed', message } },
    });
  });
});

describe('the presence of an image', () => {
  const present = { type: 'present', mayUse: true } as const;
  const barred = { type: 'present', mayUse: false } as const;
  const absent = { type: 'absent' } as const;
  it.each<{ policy: PullPolicy; presence: ImagePresence; verdict: object }>([
    {
      policy: 'IfNotPresent',
      presence: present,
      verdict: {
        type: 'use',
        event: {
          reason: 'Pulled',
          message: `Container image "${IMAGE}" already present on machine and can be accessed by the pod`,
        },
      },
    },
    { policy: 'Never', presence: present, verdict: { type: 'use' } },
    { policy: 'IfNotPresent', presence: barred, verdict: { type: 'pull' } },
    { policy: 'Never', presence: barred, verdict: { type: 'refuse', refusal: { reason: 'ErrImageNeverPull' } } },
    { policy: 'IfNotPresent', presence: absent, verdict: { type: 'pull' } },
    {
      policy: 'Never',
      presence: absent,
      verdict: {
        type: 'refuse',
        refusal: {
          reason: 'ErrImageNeverPull',
          message: `Container image "${IMAGE}" is not present with pull policy of Never`,
          event: { type: 'Warning', reason: 'ErrImageNeverPull' },
        },
      },
    },
    {
      policy: 'IfNotPresent',
      presence: { type: 'failed', message: 'boom' },
      verdict: {
        type: 'refuse',
        refusal: { reason: 'ImageInspectError', message: `Failed to inspect image "${IMAGE}": boom` },
      },
    },
  ])('under $policy, $presence.type: $verdict.type', ({ policy, presence, verdict }) => {
    expect(imageVerdict(IMAGE, policy, presence)).toMatchObject(verdict);
  });
});

describe('a failed pull', () => {
  it.each([
    { error: 'manifest unknown', reason: 'ErrImagePull', message: 'manifest unknown' },
    {
      error: 'RegistryUnavailable: connection reset',
      reason: 'RegistryUnavailable',
      message: `image pull failed for ${IMAGE} because the registry is unavailable: connection reset`,
    },
    {
      error: 'SignatureValidationFailed',
      reason: 'SignatureValidationFailed',
      message: `image pull failed for ${IMAGE} because the signature validation failed`,
    },
  ])('with "$error" is $reason', ({ error, reason, message }) => {
    const event = { type: 'Warning', reason: 'Failed', message: `Failed to pull image "${IMAGE}": ${error}` };
    expect(pullFailure(IMAGE, error)).toEqual({ reason, message, event });
  });

  it('delays the next pull with a doubling back-off, and keeps its error', () => {
    const refusal = pullFailure(IMAGE, 'manifest unknown');
    const first = advanced(undefined, { failedAt: NOW, now: NOW }, IMAGE_BACK_OFF_LIMITS);
    const second = advanced(first, { failedAt: NOW + 10_000, now: NOW + 10_000 }, IMAGE_BACK_OFF_LIMITS);
    const at = (now: number) => pullBackOff(IMAGE, { entry: second, refusal }, { now, limits: IMAGE_BACK_OFF_LIMITS });
    expect(at(NOW + 29_999)).toEqual({
      until: NOW + 30_000,
      refusal: {
        reason: 'ImagePullBackOff',
        message: `Back-off pulling image "${IMAGE}": ErrImagePull: manifest unknown`,
        event: { type: 'Normal', reason: 'BackOff', message: `Back-off pulling image "${IMAGE}"` },
      },
    });
    expect(at(NOW + 30_000)).toBeUndefined();
  });

  it('is remembered by pod and image', () => {
    expect(pullBackOffKey(pod(), IMAGE)).toBe(`uid-1_${IMAGE}`);
  });
});

it('a successful pull reports its duration and size', () => {
  const { message } = pulledEvent(IMAGE, { pullMs: 1234, totalMs: 61_000, sizeBytes: 99 });
  expect(message).toBe(
    `Successfully pulled image "${IMAGE}" in 1.234s (1m1s including waiting). Image size: 99 bytes.`,
  );
});
