import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import { silentLog } from '../../src/actor/log.ts';
import { certificateStore } from '../../src/api/certificates/certificate-store.ts';
import { type ApiClient, apiClient } from '../../src/api/api-client.ts';
import type { ApiFault, ApiOutcome } from '../../src/api/api-request.ts';
import type { ApiTransport } from '../../src/api/api-transport.ts';
import { bootstrapCredentials } from '../../src/cli/run/bootstrap-credentials.ts';
import { type ServerUnderTest, startApiServer } from '../support/real-api/server-under-test.ts';
import { transportOf } from '../support/real-api/transport-of.ts';

const SUITE = 'a node at its API server';
const NODE = 'node-1';
const PODS = '/api/v1/namespaces/default/pods';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';

/** From v1.34 on, a server refuses a node to read any pod that is not bound to the node, also a pod that is gone. */
const GONE = expect.stringMatching(/^(NotFound|Forbidden)$/) as string;

interface Made {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

async function done(outcome: Promise<ApiOutcome<unknown>>): Promise<Made> {
  const answer = await outcome;
  if (!answer.ok) throw new Error(answer.fault.message);
  return answer.value as Made;
}

async function fault(outcome: Promise<ApiOutcome<unknown>>): Promise<ApiFault> {
  const answer = await outcome;
  if (answer.ok) throw new Error('it was not refused');
  return answer.fault;
}

// A real server's authorizer allows a node exactly these requests.
describe('a node at its API server', { timeout: 30_000 }, () => {
  let server: ServerUnderTest;
  let folder: string;
  let transport: ApiTransport;
  let adminTransport: ApiTransport;
  let api: ApiClient;
  let admin: ApiClient;

  beforeAll(async () => {
    server = await startApiServer(SUITE, { core: { bindPods: false } });
    folder = mkdtempSync(join(tmpdir(), 'hivelet-node-'));
    adminTransport = transportOf(server.kubeconfig);
    admin = apiClient((request) => adminTransport.call(request, 10_000));
  }, 90_000);
  afterAll(async () => {
    transport?.close();
    adminTransport?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const nodePod = (name: string, metadata: object = {}, spec: object = {}): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { nodeName: NODE, containers: [{ name: 'main', image: 'app:1' }], ...spec },
  });

  it('gets a client certificate in its own name', async () => {
    const kubeconfig = join(folder, 'kubelet.conf');
    const certDir = join(folder, 'pki');
    await bootstrapCredentials(
      { kubeconfig, bootstrapKubeconfig: server.kubeconfig, certDir },
      { nodeName: NODE, clock: systemClock, log: silentLog },
    );
    const { subject } = new X509Certificate(readFileSync(certificateStore(certDir).currentFile));
    expect(subject.split('\n').toSorted()).toEqual([`CN=system:node:${NODE}`, 'O=system:nodes']);
    transport = transportOf(kubeconfig);
    api = apiClient((request) => transport.call(request, 10_000));
  });

  it('registers, and reports its status', async () => {
    const metadata = { name: NODE, labels: { 'kubernetes.io/hostname': NODE } };
    await done(api.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata }, 'status'));
    expect(
      await fault(api.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata }, 'status')),
    ).toMatchObject({
      reason: 'AlreadyExists',
    });
    const body = { status: { conditions: [{ type: 'Ready', status: 'True' }], capacity: { pods: '10' } } };
    const node = await done(api.patch(`/api/v1/nodes/${NODE}/status`, { type: 'strategic-merge', body }, 'status'));
    expect(node.status).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }], capacity: { pods: '10' } });
  });

  it('renews its lease, but not over another writer', async () => {
    const lease = (resourceVersion?: string): object => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: NODE, ...(resourceVersion !== undefined && { resourceVersion }) },
      spec: {
        holderIdentity: NODE,
        leaseDurationSeconds: 40,
        renewTime: new Date().toISOString().replace('Z', '000Z'),
      },
    });
    const made = await done(api.create(LEASES, lease(), 'lease'));
    const { resourceVersion } = made.metadata;
    await done(api.update(`${LEASES}/${NODE}`, lease(resourceVersion), 'lease'));
    expect(await fault(api.update(`${LEASES}/${NODE}`, lease(resourceVersion), 'lease'))).toMatchObject({
      reason: 'Conflict',
    });
  });

  it('shows its static pods as mirror pods, whose static fields no client can change', async () => {
    const annotations = { 'kubernetes.io/config.mirror': 'hash', 'kubernetes.io/config.source': 'file' };
    const { uid } = (await done(api.get(`/api/v1/nodes/${NODE}`, 'object'))).metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: NODE, uid, controller: true }];
    await done(api.create(PODS, nodePod('static', { annotations, ownerReferences }), 'object'));
    const body = { metadata: { annotations: { 'kubernetes.io/config.mirror': 'other' } } };
    expect(await fault(admin.patch(`${PODS}/static`, { type: 'merge', body }, 'object'))).toMatchObject({ code: 422 });
    await done(api.delete(`${PODS}/static`, { gracePeriodSeconds: 0 }, 'object'));
    expect(await fault(api.get(`${PODS}/static`, 'object'))).toMatchObject({ reason: GONE });
  });

  it('reports the status of its own pod, and completes the pod’s deletion at its end', async () => {
    const { metadata } = await done(admin.create(PODS, nodePod('a'), 'object'));
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], podIP: '10.0.0.7' };
    const patch = (uid: string) =>
      api.patch(`${PODS}/a/status`, { type: 'strategic-merge', body: { metadata: { uid }, status } }, 'status');
    expect((await done(patch(metadata.uid))).status).toMatchObject({ phase: 'Running', podIP: '10.0.0.7' });
    expect(await fault(patch('of-another'))).toMatchObject({ kind: 'refused' });
    await done(admin.delete(`${PODS}/a`, { gracePeriodSeconds: 20 }, 'object'));
    const dying = await done(api.get(`${PODS}/a`, 'object'));
    expect(dying.metadata).toMatchObject({ deletionGracePeriodSeconds: 20 });
    const preconditions = { uid: metadata.uid };
    await done(api.delete(`${PODS}/a`, { gracePeriodSeconds: 0, preconditions }, 'status'));
    expect(await fault(api.get(`${PODS}/a`, 'object'))).toMatchObject({ reason: GONE });
  });

  it('gets a token for its own pod, and no unbound token', async () => {
    await admin.create(ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bob' } }, 'object');
    const pod = await done(admin.create(PODS, nodePod('b', {}, { serviceAccountName: 'bob' }), 'object'));
    const boundTo = (uid: string): object => ({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        audiences: ['somebody'],
        expirationSeconds: 600,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'b', uid },
      },
    });
    const asked = (uid: string) => api.create(`${ACCOUNTS}/bob/token`, boundTo(uid), 'object');
    // The authorizer may see the pod's node a moment later.
    let answer = await asked(pod.metadata.uid);
    for (let turn = 0; !answer.ok && turn < 20; turn += 1) {
      await new Promise<void>((resolve) => systemClock.after(100, resolve));
      answer = await asked(pod.metadata.uid);
    }
    expect(answer.ok && (answer.value as Made).status).toMatchObject({ token: expect.stringMatching(/^ey/) });
    expect(await fault(asked('of-another'))).toMatchObject({ reason: 'Conflict' });
  });

  it('records events, and increments their counts', async () => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'b.1' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'b' },
      reason: 'Started',
      message: 'Container started',
      type: 'Normal',
      count: 1,
      source: { component: 'kubelet', host: NODE },
    };
    await done(api.create('/api/v1/namespaces/default/events', event, 'event'));
    const body = { count: 2 };
    const path = '/api/v1/namespaces/default/events/b.1';
    await done(api.patch(path, { type: 'strategic-merge', body }, 'event'));
    expect(await done(admin.get(path, 'object'))).toMatchObject({ count: 2, reason: 'Started' });
  });
});
