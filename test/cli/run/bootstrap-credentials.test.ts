import { X509Certificate } from 'node:crypto';
import { lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/actor/clock.ts';
import { silentLog } from '../../../src/actor/log.ts';
import { certificateStore } from '../../../src/api/certificates/certificate-store.ts';
import { newKeyAndRequest, validityOf } from '../../../src/api/certificates/client-certificate.ts';
import { openConnections } from '../../../src/api/transport/connections.ts';
import { kubeconfigIdentity } from '../../../src/api/kubeconfig/kubeconfig-identity.ts';
import { networkTransport } from '../../../src/api/transport/network-transport.ts';
import type { WatchEvent } from '../../../src/api/api-transport.ts';
import { bootstrapCredentials } from '../../../src/cli/run/bootstrap-credentials.ts';
import { kubeconfig as kubeconfigText } from '../../../src/embedded/apiserver/kubeconfig.ts';
import { serveEmbeddedApi, type EmbeddedApiServer } from '../../../src/embedded/apiserver/serve.ts';
import { manualClock } from '../../support/manual-clock.ts';

let server: EmbeddedApiServer;
let folder: string;
let paths: { kubeconfig: string; bootstrapKubeconfig: string; certDir: string };

beforeAll(async () => {
  server = await serveEmbeddedApi();
  folder = mkdtempSync(join(tmpdir(), 'hivelet-bootstrap-'));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  const own = mkdtempSync(join(folder, 'node-'));
  paths = {
    kubeconfig: join(own, 'kubelet.conf'),
    bootstrapKubeconfig: join(own, 'bootstrap.conf'),
    certDir: join(own, 'pki'),
  };
  const { address, authority, adminToken } = server;
  writeFileSync(
    paths.bootstrapKubeconfig,
    kubeconfigText({ server: address, authority: authority.certificate, user: { token: adminToken } }),
  );
});

const bootstrapped = (): Promise<void> =>
  bootstrapCredentials(paths, { nodeName: 'node-1', clock: systemClock, log: silentLog });

const identity = () =>
  kubeconfigIdentity(paths.kubeconfig, {
    readFile: async (path) => readFileSync(path, 'utf8'),
    runPlugin: () => Promise.reject(new Error('no plugin was to run')),
    now: () => systemClock.now(),
  });

describe('a node that has only a bootstrap kubeconfig', () => {
  it('gets a client certificate of its own over TLS, and a kubeconfig that works with it', async () => {
    await bootstrapped();
    const transport = networkTransport({
      source: identity(),
      open: openConnections,
      clock: systemClock,
      log: silentLog,
      userAgent: 'test',
    });
    const version = await transport.call({ verb: 'get', path: '/version', priority: 'object' }, 10_000);
    transport.close();
    expect(version).toMatchObject({ ok: true });
    const { subject } = new X509Certificate(readFileSync(join(paths.certDir, 'kubelet-client-current.pem')));
    expect(subject.split('\n').sort()).toEqual(['CN=system:node:node-1', 'O=system:nodes']);
  });

  it('keeps key and certificate in a private file, behind a symbolic link', async () => {
    await bootstrapped();
    const link = join(paths.certDir, 'kubelet-client-current.pem');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readlinkSync(link)).toMatch(/^kubelet-client-\d{4}-\d\d-\d\d-\d\d-\d\d-\d\d\.pem$/);
    expect(statSync(link).mode & 0o777).toBe(0o600);
    expect(statSync(paths.kubeconfig).mode & 0o777).toBe(0o600);
    const validity = validityOf(readFileSync(link, 'utf8'));
    expect(validity?.until).toBeGreaterThan(systemClock.now());
  });

  it('requests no certificate while it has a valid one', async () => {
    await bootstrapped();
    const before = readFileSync(paths.kubeconfig, 'utf8');
    writeFileSync(paths.bootstrapKubeconfig, 'no kubeconfig at all');
    await bootstrapped();
    expect(readFileSync(paths.kubeconfig, 'utf8')).toBe(before);
  });

  it('gets the name of the invalid field of the bootstrap kubeconfig', async () => {
    writeFileSync(paths.bootstrapKubeconfig, 'current-context: x');
    await expect(bootstrapped()).rejects.toThrow(`${paths.bootstrapKubeconfig}: current-context: "x" is not a name`);
  });
});

describe('a client certificate that is replaced', () => {
  it('is used within seconds on new connections, and watches continue from their version', async () => {
    await bootstrapped();
    const clock = manualClock(systemClock.now());
    const opened: string[] = [];
    const transport = networkTransport({
      source: identity(),
      open: (found) => {
        opened.push(found.tls.certificate ?? '');
        return openConnections(found);
      },
      clock,
      log: silentLog,
      userAgent: 'test',
    });
    const end = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<readonly WatchEvent[]>();
    transport.watch(
      '/api/v1/services?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
      {
        events: begun.resolve,
        ended: end.resolve,
      },
    );
    expect((await begun.promise).length).toBeGreaterThan(0);
    const made = await newKeyAndRequest('node-1');
    const certificate = await server.authority.sign(made.request, { usage: 'client', seconds: 3_600 });
    await certificateStore(paths.certDir).write(`${certificate.trimEnd()}\n${made.key}`, systemClock.now() + 5_000);
    await clock.advanceAndSettle(10_000);
    expect(await end.promise).toMatchObject({ kind: 'unreachable' });
    expect(opened).toHaveLength(2);
    expect(opened[1]).toContain(certificate.trim().slice(0, 200));
    expect(await transport.call({ verb: 'get', path: '/version', priority: 'object' }, 10_000)).toMatchObject({
      ok: true,
    });
    transport.close();
  });

  it('that cannot be read leaves the previous one in use', async () => {
    await bootstrapped();
    const clock = manualClock(systemClock.now());
    const transport = networkTransport({
      source: identity(),
      open: openConnections,
      clock,
      log: silentLog,
      userAgent: 'test',
    });
    const version = () => transport.call({ verb: 'get', path: '/version', priority: 'object' }, 10_000);
    expect(await version()).toMatchObject({ ok: true });
    rmSync(join(paths.certDir, 'kubelet-client-current.pem'));
    await clock.advanceAndSettle(30_000);
    expect(await version()).toMatchObject({ ok: true });
    transport.close();
  });
});
