import { describe, expect, it } from 'vitest';
import { readConfigMap, readSecret, readService } from '../../../actors/object-cache/read-objects.ts';
import { isDueForRenewal, tokenIn } from '../../../actors/object-cache/token-requests.ts';
import { type RequestedObject, MOST_WATCHES, fetchStrategy } from '../../../actors/object-cache/fetch-strategy.ts';

const NOW = 1_000_000_000;
const asked = (change: Partial<RequestedObject>): RequestedObject => ({
  strategy: 'Watch',
  isWatched: false,
  isKept: false,
  watches: 0,
  fetchedAt: undefined,
  isKnownPod: true,
  now: NOW,
  ...change,
});

describe('the fetch strategy of an object', () => {
  it.each([
    { rule: 'is a watch', given: asked({}), way: 'watch' },
    { rule: 'is no watch above the limit of watches', given: asked({ watches: MOST_WATCHES }), way: 'ask' },
    { rule: 'stays a watch', given: asked({ watches: MOST_WATCHES, isWatched: true }), way: 'watch' },
    {
      rule: 'uses the cached object while it is fresh',
      given: asked({ strategy: 'Cache', fetchedAt: NOW - 1 }),
      way: 'kept',
    },
    {
      rule: 'fetches an object that is a minute old',
      given: asked({ strategy: 'Cache', fetchedAt: NOW - 60_000 }),
      way: 'ask',
    },
    {
      rule: 'fetches for a new pod',
      given: asked({ strategy: 'Cache', fetchedAt: NOW - 1, isKnownPod: false }),
      way: 'ask',
    },
    {
      rule: 'uses an immutable object for a pod that began with it',
      given: asked({ strategy: 'Get', isKept: true }),
      way: 'kept',
    },
    {
      rule: 'reads an immutable object for a new pod: the name may belong to another one',
      given: asked({ isKept: true, isKnownPod: false }),
      way: 'ask',
    },
    {
      rule: 'always fetches with the strategy Get',
      given: asked({ strategy: 'Get', fetchedAt: NOW }),
      way: 'ask',
    },
  ] as const)('$rule', ({ given, way }) => {
    expect(fetchStrategy(given)).toBe(way);
  });
});

describe('a token', () => {
  const HOUR = 3_600_000;
  const token = (expirationSeconds: number, ageMs: number, jitterMs = 0) => ({
    token: 't',
    expirationSeconds,
    jitterMs,
    madeAt: 5_000_000 - ageMs,
    expiresAt: NOW - ageMs + expirationSeconds * 1000,
  });
  it.each([
    { rule: 'is kept while it is young', given: token(3_600, 0.79 * HOUR), due: false },
    { rule: 'is renewed with a fifth of its life left', given: token(3_600, 0.81 * HOUR), due: true },
    { rule: 'is renewed after a day, even if it is valid for longer', given: token(1_000_000, 24.1 * HOUR), due: true },
    { rule: 'is renewed a little earlier than another', given: token(3_600, 0.8 * HOUR - 5_000, 6_000), due: true },
  ])('$rule', ({ given, due }) => {
    expect(isDueForRenewal(given, { now: NOW, monotonic: 5_000_000 })).toBe(due);
  });

  it.each([
    { clock: 'was set back', at: { now: NOW - HOUR, monotonic: 5_000_000 } },
    { clock: 'stood still while the machine slept', at: { now: NOW, monotonic: 5_000_000 - HOUR } },
  ])('is renewed in time even if one clock $clock', ({ at }) => {
    expect(isDueForRenewal(token(3_600, 0.81 * HOUR), at)).toBe(true);
  });

  it('is read from an answer, or absent', () => {
    const status = { token: 'abc', expirationTimestamp: '1970-01-01T00:00:01Z' };
    expect(tokenIn({ status })).toEqual({ token: 'abc', expiresAt: 1_000 });
    expect(tokenIn({ status: { token: 'abc' } })).toBeUndefined();
    expect(tokenIn(null)).toBeUndefined();
  });
});

describe('an object', () => {
  it('is read with the fields that pods need', () => {
    const metadata = { name: 'a', namespace: 'b', uid: 'u', resourceVersion: '7' };
    expect(readConfigMap({ metadata, data: { k: 'v', bad: 1 }, immutable: true })).toEqual({
      name: 'a',
      immutable: true,
      content: { resourceVersion: '7', data: { k: 'v' }, binaryData: {} },
    });
    expect(readSecret({ metadata, data: { k: 'dg==' } })).toEqual({
      name: 'a',
      immutable: false,
      content: { resourceVersion: '7', uid: 'u', type: 'Opaque', data: { k: 'dg==' } },
    });
    expect(
      readService({ metadata, spec: { clusterIP: '10.0.0.1', ports: [{ port: 80, name: 'http', nodePort: 3 }, {}] } }),
    ).toEqual({ namespace: 'b', name: 'a', clusterIP: '10.0.0.1', ports: [{ port: 80, name: 'http' }] });
  });

  it.each([null, 'text', {}, { metadata: {} }])('is rejected: %j', (value) => {
    expect([readConfigMap(value), readSecret(value), readService(value)]).toEqual([undefined, undefined, undefined]);
  });
});
