import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClientCertificate } from '../../../actors/certificate-manager/actor.ts';
import type { ClientCertificateProtocol } from '../../../actors/certificate-manager/protocol.ts';
import { dueAtOf, nextLook, renewAgainMs, servedNamesOf } from '../../../actors/certificate-manager/state.ts';
import type { ApiCall } from '../../../src/api/api-client.ts';
import type { ApiOutcome, ApiRequest } from '../../../src/api/api-request.ts';
import { isFor, newKeyAndRequest, rotationAt } from '../../../src/api/certificates/client-certificate.ts';
import {
  certificateAuthority,
  type CertificateAuthority,
} from '../../../src/embedded/apiserver/subresources/certificate-authority.ts';
import type { NodeAddress } from '../../../src/kube/node.ts';
import type { ObservedAddresses } from '../../../src/node/object/known-addresses.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { manualClock, settled } from '../../support/manual-clock.ts';

const NOW = Date.UTC(2026, 0, 1);
/** What node-status reports of a node with these internal addresses. */
const nodeHas = (ips: readonly string[] = ['192.0.2.1'], from: ObservedAddresses['from'] = 'node') => ({
  addresses: [
    ...ips.map((address) => ({ type: 'InternalIP', address }) as const),
    { type: 'Hostname', address: 'node-1' } as const,
  ],
  from,
});
const DAY = 24 * 3_600_000;
let authority: CertificateAuthority;
let pem: string;
beforeAll(async () => {
  authority = await certificateAuthority(manualClock(NOW));
  const made = await newKeyAndRequest('node-1');
  pem = `${await authority.sign(made.request, { usage: 'client', seconds: 10 * 86_400 })}\n${made.key}`;
});

const host: NodeAddress = { type: 'Hostname', address: 'a' };
const all: readonly NodeAddress[] = [
  { type: 'InternalIP', address: 'fd00::1' },
  { type: 'ExternalIP', address: '203.0.113.1' },
  { type: 'InternalIP', address: '10.0.0.1' },
  { type: 'InternalDNS', address: 'b' },
  { type: 'InternalIP', address: 'no address' },
  host,
];

describe('when a certificate is replaced', () => {
  it.each([
    { random: 0, at: 70 },
    { random: 1, at: 90 },
  ])('is at $at % of its lifetime, for a random number of $random', ({ random, at }) => {
    expect(rotationAt({ from: 0, until: 100 }, () => random)).toBeCloseTo(at);
  });

  it('is checked every hour until then', () => {
    expect(nextLook(pem, { now: NOW, dueAt: NOW + 7 * DAY })).toEqual({ type: 'later', inMs: 3_600_000 });
    expect(nextLook(pem, { now: NOW, dueAt: NOW + 60_000 })).toEqual({ type: 'later', inMs: 60_000 });
    expect(nextLook(pem, { now: NOW, dueAt: NOW })).toEqual({ type: 'renew' });
  });

  it.each([undefined, 'no PEM', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
    'never happens without a certificate: %s',
    (text) => {
      expect(nextLook(text, { now: NOW, dueAt: dueAtOf(text, () => 0) })).toEqual({ type: 'nothing' });
    },
  );

  it('is tried again more and more rarely, ten minutes apart at most', () => {
    expect([1, 2, 3, 20].map((failures) => renewAgainMs(failures, () => 0))).toEqual([10_000, 20_000, 40_000, 600_000]);
  });
});

describe('the names of a serving certificate', () => {
  it.each([
    {
      rule: 'are those of all addresses, sorted',
      addresses: all,
      needs: 'address' as const,
      names: ['a b', '10.0.0.1 203.0.113.1 fd00::1'],
    },
    {
      rule: 'count a host name that is an address as one',
      addresses: [{ type: 'Hostname' as const, address: '10.0.0.1' }],
      needs: 'address' as const,
      names: ['', '10.0.0.1'],
    },
    { rule: 'are none without an IP address', addresses: [host], needs: 'address' as const, names: undefined },
    {
      rule: 'may be a name alone with AllowDNSOnlyNodeCSR',
      addresses: [host],
      needs: 'any-name' as const,
      names: ['a', ''],
    },
    { rule: 'are none without any address', addresses: [], needs: 'any-name' as const, names: undefined },
  ])('$rule', ({ addresses, needs, names }) => {
    const served = servedNamesOf(addresses, needs);
    expect(served && [served.hostnames.join(' '), served.addresses.join(' ')]).toEqual(names);
  });
});

describe('the certificate manager', () => {
  let stop: () => void = () => {};
  afterEach(() => stop());

  async function keeper(
    answer: (request: ApiRequest) => Promise<ApiOutcome<unknown>>,
    more: {
      readonly observed?: ObservedAddresses;
      readonly pem?: string | undefined;
      readonly asBootstrap?: ApiCall;
    } = {
      pem,
    },
  ) {
    const { observed, asBootstrap } = more;
    const files = { pem: more.pem, written: [] as string[] };
    const asked: ApiRequest[] = [];
    const test = await actorUnderTest<ClientCertificateProtocol>({
      address: 'client-certificate',
      others: {
        'node-status': () => observed,
        'api-gateway': (question) => {
          const { request } = question as { request: ApiRequest } & typeof question;
          asked.push(request);
          return answer(request);
        },
      },
      make: (context) =>
        new ClientCertificate(context, {
          nodeName: 'node-1',
          rotate: true,
          purpose: observed === undefined ? 'client' : 'serving',
          ...(asBootstrap !== undefined && { asBootstrap }),
          store: {
            read: () => Promise.resolve(files.pem),
            write: (text) => {
              files.pem = text;
              files.written.push(text);
              return Promise.resolve();
            },
          },
        }),
      startMs: NOW,
    });
    stop = () => void test.host;
    /** Making a key takes real time, in which the clock of the test stands still. */
    const until = async (isSo: () => boolean, withinMs = 10_000): Promise<void> => {
      const began = performance.now();
      while (!isSo() && performance.now() - began < withinMs) await settled();
      await test.quiet();
    };
    return { ...test, files, asked, until };
  }

  it('requests a new certificate in time, and replaces the old one', async () => {
    let request = '';
    const { pass, files, asked, until } = await keeper(async ({ verb, body }) => {
      if (verb === 'create') {
        request = (body as { spec: { request: string } }).spec.request;
        return { ok: true, value: { metadata: { name: 'csr-1' } } };
      }
      const text = Buffer.from(request, 'base64').toString();
      const signed = await authority.sign(text, { usage: 'client', seconds: 20 * 86_400 });
      return { ok: true, value: { status: { certificate: Buffer.from(signed).toString('base64') } } };
    });
    await pass(6 * DAY);
    expect(asked).toEqual([]);
    await pass(1.01 * DAY);
    await until(() => files.written.length > 0);
    expect(files.written).toHaveLength(1);
    expect(files.written[0]).toMatch(/BEGIN CERTIFICATE[^]*BEGIN PRIVATE KEY/);
    expect(asked[0]).toMatchObject({
      verb: 'create',
      body: {
        spec: {
          signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
          usages: ['digital signature', 'client auth'],
        },
      },
    });
    await pass(6 * DAY);
    expect(files.written).toHaveLength(1);
  });

  it('requests a certificate with the bootstrap credentials after the old one has expired, and not through the gateway', async () => {
    const refused = { kind: 'refused', code: 401, reason: 'Unauthorized', message: 'Unauthorized' } as const;
    const asBootstrap: ApiRequest[] = [];
    const signed = await authority.sign((await newKeyAndRequest('node-1')).request, {
      usage: 'client',
      seconds: 40 * 86_400,
    });
    const { pass, files, asked, until } = await keeper(() => Promise.resolve({ ok: false, fault: refused }), {
      pem,
      asBootstrap: (request) => {
        asBootstrap.push(request);
        const status = { certificate: Buffer.from(signed).toString('base64') };
        return Promise.resolve({ ok: true, value: { metadata: { name: 'csr-1' }, status } });
      },
    });
    // While the certificate is valid, the node requests the next one with it.
    await pass(9.5 * DAY);
    await until(() => asked.length > 0);
    expect(asBootstrap).toEqual([]);
    for (let turn = 0; turn < 100 && files.written.length === 0; turn += 1) {
      await pass(DAY / 20);
      await until(() => files.written.length > 0, 50);
    }
    expect(files.written).toHaveLength(1);
    expect(asBootstrap[0]).toMatchObject({
      verb: 'create',
      path: '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    });
  });

  it('requests a serving certificate from the start, with the node’s names', async () => {
    const served = { hostnames: ['node-1'], addresses: ['192.0.2.1', '2001:db8::1'] };
    const signing = async (request: string): Promise<string> =>
      authority.sign(Buffer.from(request, 'base64').toString(), { usage: 'server', seconds: 20 * 86_400 });
    let request = '';
    const { files, asked, until } = await keeper(
      async ({ verb, body }) => {
        if (verb === 'create') {
          request = (body as { spec: { request: string } }).spec.request;
          return { ok: true, value: { metadata: { name: 'csr-1' } } };
        }
        return { ok: true, value: { status: { certificate: Buffer.from(await signing(request)).toString('base64') } } };
      },
      { observed: nodeHas(served.addresses), pem: undefined },
    );
    await until(() => files.written.length > 0);
    expect(asked[0]).toMatchObject({
      body: { spec: { signerName: 'kubernetes.io/kubelet-serving', usages: ['digital signature', 'server auth'] } },
    });
    const written = files.written[0] ?? '';
    expect(isFor(written, served)).toBe(true);
    expect(isFor(written, { ...served, addresses: ['192.0.2.2'] })).toBe(false);
    expect(nextLook(written, { now: NOW, dueAt: NOW + DAY, served }).type).toBe('later');
    expect(nextLook(written, { now: NOW, dueAt: NOW + DAY, served: { ...served, hostnames: ['node-2'] } }).type).toBe(
      'renew',
    );
  });

  /** A signer that signs each request with the names in it. Requests are answered when `sign` is called. */
  function signer() {
    const requests: string[] = [];
    let signs = true;
    const answer = async ({ verb, path, body }: ApiRequest): Promise<ApiOutcome<unknown>> => {
      if (verb === 'create') {
        requests.push((body as { spec: { request: string } }).spec.request);
        return { ok: true, value: { metadata: { name: `csr-${requests.length}` } } };
      }
      const text = Buffer.from(requests[Number(/csr-(\d+)$/.exec(path)?.[1]) - 1] ?? '', 'base64').toString();
      if (!signs) return { ok: true, value: {} };
      const signed = await authority.sign(text, { usage: 'server', seconds: 20 * 86_400 });
      return { ok: true, value: { status: { certificate: Buffer.from(signed).toString('base64') } } };
    };
    return { requests, answer, hold: () => (signs = false), goOn: () => (signs = true) };
  }

  it('requests another serving certificate when the node has other addresses', async () => {
    const { requests, answer } = signer();
    const { files, until, tell } = await keeper(answer, { observed: nodeHas(), pem: undefined });
    await until(() => files.written.length > 0);
    await tell({ type: 'node-addresses-observed', ...nodeHas(['192.0.2.1']) });
    expect(requests).toHaveLength(1);
    await tell({ type: 'node-addresses-observed', ...nodeHas(['192.0.2.7']) });
    await until(() => files.written.length > 1);
    expect(isFor(files.written[1] ?? '', { hostnames: ['node-1'], addresses: ['192.0.2.7'] })).toBe(true);
  });

  it('drops a request under way when the addresses change, and requests again', async () => {
    const { requests, answer, hold, goOn } = signer();
    hold();
    const { files, until, tell, pass } = await keeper(answer, { observed: nodeHas(), pem: undefined });
    await until(() => requests.length > 0);
    await tell({ type: 'node-addresses-observed', ...nodeHas(['192.0.2.7']) });
    await until(() => requests.length > 1);
    goOn();
    for (let turn = 0; turn < 50 && files.written.length === 0; turn += 1) {
      await pass(1_000);
      await until(() => files.written.length > 0, 50);
    }
    await pass(60_000);
    expect(files.written).toHaveLength(1);
    expect(isFor(files.pem ?? '', { hostnames: ['node-1'], addresses: ['192.0.2.7'] })).toBe(true);
  });

  it.each([
    { rule: 'addresses that only the host has', observed: nodeHas(['192.0.2.1'], 'host') },
    { rule: 'a name without an address', observed: nodeHas([]) },
  ])('requests no serving certificate for $rule', async ({ observed }) => {
    const { requests, answer } = signer();
    const { pass } = await keeper(answer, { observed, pem: undefined });
    await pass(DAY);
    expect(requests).toEqual([]);
  });

  it('keeps the serving certificate of a node that has lost its addresses', async () => {
    const { requests, answer } = signer();
    const { files, until, tell } = await keeper(answer, { observed: nodeHas(), pem: undefined });
    await until(() => files.written.length > 0);
    await tell({ type: 'node-addresses-observed', addresses: [], from: 'node' });
    expect(requests).toHaveLength(1);
  });

  it('rejects a certificate without the requested names, and does not retry at once', async () => {
    const other = await newKeyAndRequest('node-1', { hostnames: ['node-1'], addresses: [] });
    const signed = await authority.sign(other.request, { usage: 'server', seconds: 86_400 });
    const { files, asked, until, logged } = await keeper(
      ({ verb }) =>
        Promise.resolve({
          ok: true,
          value:
            verb === 'create'
              ? { metadata: { name: 'csr-1' } }
              : { status: { certificate: Buffer.from(signed).toString('base64') } },
        }),
      { observed: nodeHas(), pem: undefined },
    );
    await until(() => logged.some((line) => line.includes('could not be renewed')));
    expect(files.written).toEqual([]);
    expect(asked.filter(({ verb }) => verb === 'create')).toHaveLength(1);
  });

  it('retries a denied request, and logs it', async () => {
    const refused = { kind: 'refused', code: 403, reason: 'Forbidden', message: 'not yours' } as const;
    const { pass, asked, logged, until, files } = await keeper(() => Promise.resolve({ ok: false, fault: refused }));
    await pass(dueAtOf(pem, () => 0) - NOW);
    await until(() => asked.length > 0);
    expect(logged.some((line) => line.includes('could not be renewed'))).toBe(true);
    await pass(10_000);
    await until(() => asked.length > 1);
    expect(asked.length).toBe(2);
    expect(files.pem).toBe(pem);
  });
});
