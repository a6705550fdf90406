import { connect, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiClient } from '../../src/api/api-client.ts';
import { Authenticator } from '../../src/serving/access/authenticator.ts';
import { bearerTokenOf } from '../../src/serving/access/request-identity.ts';
import { manualClock } from '../support/manual-clock.ts';
import { head, readRaw, sendRaw } from './raw-request.ts';
import { FakeReviews, serverUnderTest, type ServerUnderTest } from './server-under-test.ts';

const TOKENS = 4_000;
const OF_ONE_CONNECTION = 8;

let node: ServerUnderTest;
const ends: (() => unknown)[] = [];
beforeEach(async () => {
  // Without TLS, since handshakes are not tested here.
  node = await serverUnderTest({ plain: true });
  node.reviews.rights.add('apiserver *');
  for (const token of ['good', 'known', 'other']) node.reviews.tokens.set(token, { username: 'apiserver', groups: [] });
});
afterEach(async () => {
  node.reviews.release();
  for (const end of ends.splice(0)) await end();
  await node.server.close();
});

const withToken = (token: string): string => head('GET /pods', [`Authorization: Bearer ${token}`]);
const askOnce = async (token: string, localAddress = '127.0.0.1'): Promise<number> => {
  const bytes = head('GET /pods', [`Authorization: Bearer ${token}`, 'Connection: close']);
  return readRaw(await sendRaw(bytes, { port: node.server.port, plain: true, localAddress })).status;
};

const timed = async (question: () => Promise<number>): Promise<number> => {
  const began = performance.now();
  expect(await question()).toBe(200);
  return performance.now() - began;
};

/** Sends a client's maximum of requests, each with another token. Returns the number of answers by status. */
async function flood(): Promise<Map<number, number>> {
  const answers = new Map<number, number>();
  for (let first = 0; first < TOKENS; first += OF_ONE_CONNECTION) {
    const socket: Socket = connect({ host: '127.0.0.1', port: node.server.port });
    ends.push(() => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (piece: Buffer) => {
      for (const [, status] of piece.toString().matchAll(/HTTP\/1\.1 (\d+) /g)) {
        answers.set(Number(status), (answers.get(Number(status)) ?? 0) + 1);
      }
    });
    for (let index = first; index < first + OF_ONE_CONNECTION; index++) socket.write(withToken(`made-up-${index}`));
  }
  return answers;
}

describe('while four thousand made-up tokens wait', () => {
  it('a client at another address is served at once, even if no review is ever answered', async () => {
    node.reviews.hold = 'tokens';
    const answers = await flood();
    await expect.poll(() => answers.get(429) ?? 0, { timeout: 20_000 }).toBeGreaterThan(1_000);
    expect(node.reviews.held).toBe(4);
    node.reviews.holds = (token) => token.startsWith('made-up');
    expect(await askOnce('good', '127.0.0.2')).toBe(200);
    // All requests have arrived by now, so this is the time of an answer.
    expect(await timed(() => askOnce('other', '127.0.0.2'))).toBeLessThan(1_000);
    expect(node.reviews.held).toBe(4);
  });

  it('a client at the same address is served soon, if reviews are slow', async () => {
    node.reviews.hold = { atOnce: 24, eachMs: 100 };
    await flood();
    expect(await askOnce('good')).toBe(200);
    expect(await timed(() => askOnce('other'))).toBeLessThan(1_000);
  });
});

describe('more made-up tokens than the cache holds', () => {
  it('do not evict a valid token, which is not reviewed again', async () => {
    const reviews = new FakeReviews();
    reviews.tokens.set('known', { username: 'apiserver', groups: [] });
    const authenticator = new Authenticator({
      anonymousEnabled: false,
      tokenReviews: { api: apiClient(reviews.call), cacheMs: 120_000 },
      clock: manualClock(),
    });
    const identify = (token: string) =>
      authenticator.identify({ certificate: 'none', bearerToken: { token }, client: '192.0.2.1' });
    expect(await identify('known')).toMatchObject({ type: 'identified' });
    for (let index = 0; index < 10_000; index++) await identify(`made-up-${index}`);
    const before = reviews.asked;
    expect(await identify('known')).toMatchObject({ type: 'identified' });
    expect(reviews.asked).toBe(before);
  });
});

describe('a token', () => {
  it.each([
    { what: 'that is longer than 8 KiB', token: 'x'.repeat(8 * 1024 + 1) },
    { what: 'of characters invalid in a header', token: 't\u00f6ken' },
    { what: 'in two parts', token: 'one two' },
    { what: 'that is empty', token: '' },
  ])('$what is rejected without a review', async ({ token }) => {
    const before = node.reviews.asked;
    expect(await askOnce(token)).toBe(401);
    expect(node.reviews.asked).toBe(before);
  });

  it('that many requests use at once is reviewed once', async () => {
    node.reviews.hold = 'tokens';
    const answers = Array.from({ length: 20 }, () => askOnce('other'));
    await expect.poll(() => node.reviews.held).toBe(1);
    node.reviews.release();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  });

  it.each([
    ['Bearer abc', { token: 'abc' }],
    ['bearer   abc  ', { token: 'abc' }],
    ['Bearer a.b-c_d~e+f/g==', { token: 'a.b-c_d~e+f/g==' }],
    [`Bearer ${'x'.repeat(8 * 1024)}`, { token: 'x'.repeat(8 * 1024) }],
    [`Bearer ${'x'.repeat(8 * 1024 + 1)}`, 'malformed'],
    ['Bearer a b', 'malformed'],
    ['Bearer', 'malformed'],
    ['Basic YTpi', 'none'],
    ['BearerX abc', 'none'],
    [undefined, 'none'],
  ])('of %.20s', (header, token) => {
    expect(bearerTokenOf(header)).toEqual(token);
  });
});

describe('rights of one user', () => {
  it('that many requests need at once are reviewed once', async () => {
    expect(
      (await Promise.all(Array.from({ length: 20 }, () => askOnce('other')))).every((status) => status === 200),
    ).toBe(true);
    // The token, and its rights.
    expect(node.reviews.asked).toBe(2);
  });
});
