import { describe, expect, it } from 'vitest';
import { MirrorPods } from '../../../actors/mirror-pods/actor.ts';
import type { MirrorPodsProtocol } from '../../../actors/mirror-pods/protocol.ts';
import { apiClient } from '../../../src/api/api-client.ts';
import type { ApiFault, ApiRequest } from '../../../src/api/api-request.ts';
import { inProcessTransport } from '../../../src/embedded/apiserver/http/in-process-transport.ts';
import { podUid } from '../../../src/kube/ids.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import { apiUnderTest, done, podsOf } from '../../embedded/apiserver/api-under-test.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { pod } from '../../pod/pods.ts';

const staticPod = (hash: string, name = 'web-n1'): Pod =>
  pod({
    nodeName: 'n1',
    metadata: {
      uid: hash,
      name,
      namespace: 'default',
      annotations: { 'kubernetes.io/config.hash': hash, 'kubernetes.io/config.source': 'file' },
    },
  });

/** The actor with an API server in this process, whose objects arrive as from a watch. */
async function mirrors() {
  const server = apiUnderTest();
  const calls: ApiRequest[] = [];
  const faults: { next: (request: ApiRequest) => ApiFault | undefined } = { next: () => undefined };
  const transport = inProcessTransport(server.core, {
    intercept: (request) => {
      calls.push(request);
      return faults.next(request);
    },
  });
  const node = await done(
    server.api.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } }),
  );
  const actor = await actorUnderTest<MirrorPodsProtocol>({
    address: 'mirror-pods',
    make: (context) =>
      new MirrorPods(context, { api: apiClient((request) => transport.call(request, 1_000)), nodeName: 'n1' }),
    others: { 'pod-manager': () => undefined },
  });
  const seen = new Set<string>();
  const stop = transport.watch(podsOf(), {
    events: (events) => {
      for (const { type, object } of events) {
        // The server's own objects.
        const mirror = object as Pod;
        const { uid } = mirror.metadata;
        if (type === 'DELETED')
          actor.host.tell('mirror-pods', {
            type: 'mirror-pod-gone',
            objectUid: uid,
            fullName: 'web-n1_default',
          } as never);
        else {
          seen.add(uid);
          actor.host.tell('mirror-pods', { type: 'mirror-pod-present', mirror } as never);
        }
      }
    },
    ended: () => {},
  });
  const read = async (): Promise<Pod | undefined> => {
    const answer = await server.api.get<Pod>(`${podsOf()}/web-n1`);
    return answer.ok ? answer.value : undefined;
  };
  const writes = () => calls.filter(({ verb }) => verb !== 'get' && verb !== 'list').map(({ verb }) => verb);
  return { ...actor, server, node, calls, faults, seen, stop, read, writes };
}

describe('the mirror of a static pod', () => {
  it('is created as a copy owned by the Node, once all pods are known', async () => {
    const { tell, read, writes, node, quiet } = await mirrors();
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    expect(writes()).toEqual([]);
    await tell({ type: 'snapshot-complete' });
    await quiet();
    expect(writes()).toEqual(['create']);
    expect((await read())?.metadata).toMatchObject({
      name: 'web-n1',
      annotations: { 'kubernetes.io/config.hash': 'h1', 'kubernetes.io/config.mirror': 'h1' },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: node.metadata?.uid, controller: true }],
    });
  });

  it('is not changed when it exists already', async () => {
    const { tell, writes, quiet } = await mirrors();
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await quiet();
    expect(writes()).toEqual(['create']);
  });

  it('is created again when a client deletes it', async () => {
    const { tell, read, writes, server, quiet, pass } = await mirrors();
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await quiet();
    const first = (await read())?.metadata.uid;
    await done(server.api.delete(`${podsOf()}/web-n1`, { gracePeriodSeconds: 30 }));
    await pass(1_000);
    const second = await read();
    expect(second?.metadata.uid).not.toBe(first);
    expect(second?.metadata.deletionTimestamp).toBeUndefined();
    expect(writes()).toEqual(['create', 'delete', 'create']);
  });

  it('is replaced when the static pod changes, and only then', async () => {
    const { tell, read, writes, pass } = await mirrors();
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await pass(100);
    await tell({ type: 'static-pod-gone', podUid: podUid('h1'), fullName: 'web-n1_default' });
    await tell({ type: 'static-pod-present', pod: staticPod('h2') });
    await pass(1_000);
    expect((await read())?.metadata.annotations?.['kubernetes.io/config.mirror']).toBe('h2');
    expect(writes()).toEqual(['create', 'delete', 'create']);
  });

  it('is replaced once when it shows an end that no longer holds', async () => {
    const { tell, read, writes, quiet, pass } = await mirrors();
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await quiet();
    const first = await read();
    if (first === undefined) throw new Error('there is no mirror pod');
    await tell({ type: 'mirror-pod-present', mirror: first, outdated: true });
    // The watch may still bring the old one.
    await tell({ type: 'mirror-pod-present', mirror: first });
    await pass(1_000);
    expect((await read())?.metadata.uid).not.toBe(first.metadata.uid);
    expect(writes().filter((verb) => verb === 'create')).toHaveLength(2);
  });

  it('is replaced once when a pod with a UID in its manifest changes its image', async () => {
    const { tell, read, writes, pass } = await mirrors();
    const changed = { ...staticPod('h1') };
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await pass(100);
    const containers = changed.spec.containers.map((each) => ({ ...each, image: 'app:2' }));
    const pod = { ...changed, spec: { ...changed.spec, containers } };
    await tell({ type: 'static-pod-present', pod });
    await tell({ type: 'static-pod-present', pod });
    await pass(1_000);
    expect((await read())?.spec.containers[0]?.image).toBe('app:2');
    expect(writes()).toEqual(['create', 'delete', 'create']);
  });

  it('is deleted with the static pod', async () => {
    const { tell, read, writes, pass } = await mirrors();
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await pass(100);
    await tell({ type: 'static-pod-gone', podUid: podUid('h1'), fullName: 'web-n1_default' });
    await pass(100);
    expect(await read()).toBeUndefined();
    expect(writes()).toEqual(['create', 'delete']);
  });

  it('is deleted without a static pod, but not before all pods are known', async () => {
    const { tell, server, read, writes, pass } = await mirrors();
    const orphan = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web-n1', annotations: { 'kubernetes.io/config.mirror': 'old' } },
      spec: { nodeName: 'n1', containers: [{ name: 'main', image: 'app:1' }] },
    };
    await done(server.api.create(podsOf(), orphan));
    await pass(10_000);
    expect(writes()).toEqual([]);
    await tell({ type: 'snapshot-complete' });
    await pass(100);
    expect(await read()).toBeUndefined();
  });

  it('is created after an outage of the API of any length', async () => {
    const { tell, faults, read, calls, pass } = await mirrors();
    faults.next = () => ({ kind: 'unreachable', message: 'connection refused' });
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await pass(600_000);
    expect(calls.length).toBeLessThan(100);
    faults.next = () => undefined;
    await pass(15_000);
    expect((await read())?.metadata.annotations?.['kubernetes.io/config.mirror']).toBe('h1');
  });

  it('is created once although an answer was lost', async () => {
    const { tell, faults, read, pass, server } = await mirrors();
    let lost = 0;
    faults.next = ({ verb, body }) => {
      if (verb !== 'create' || lost++ > 0) return undefined;
      void server.api.create(podsOf(), body ?? {});
      return { kind: 'timed-out', message: 'no answer' };
    };
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await pass(10_000);
    expect((await read())?.metadata.annotations?.['kubernetes.io/config.mirror']).toBe('h1');
    expect(lost).toBe(1);
  });

  it('is requested again by a restarted actor', async () => {
    const { crash, take, tell, writes, pass } = await mirrors();
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await pass(100);
    take('pod-manager');
    await crash();
    expect(take('pod-manager')).toMatchObject([{ type: 'report-mirror-pods' }]);
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await pass(10_000);
    expect(writes()).toEqual(['create']);
  });
});

describe('a mirror pod that the API server refuses', () => {
  const refused: ApiFault = { kind: 'refused', code: 403, reason: 'Forbidden', message: 'quota is used up' };
  async function withRefused() {
    const parts = await mirrors();
    // The path of a create names no pod; the body does.
    const isWeb = (body: unknown): boolean => JSON.stringify(body).includes('web-n1');
    parts.faults.next = ({ verb, body }) => (verb === 'create' && isWeb(body) ? refused : undefined);
    await parts.tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await parts.tell({ type: 'snapshot-complete' });
    await parts.pass(10_000);
    const lines = () => parts.logged.filter((line) => /can(not)? keep the mirror pods/.test(line));
    expect(lines()).toEqual([expect.stringContaining('quota is used up')]);
    return { ...parts, lines };
  }

  it('stays a failing duty while mirror pods of others are made', async () => {
    const { tell, pass, lines, stop } = await withRefused();
    await tell({ type: 'static-pod-present', pod: staticPod('h2', 'db-n1') });
    await pass(60_000);
    expect(lines()).toHaveLength(1);
    stop();
  });

  it('is no trouble any more when its static pod is gone', async () => {
    const { tell, pass, lines, stop } = await withRefused();
    await tell({ type: 'static-pod-gone', fullName: 'web-n1_default', podUid: podUid('h1') });
    await pass(20_000);
    expect(lines().slice(1)).toEqual([expect.stringMatching(/^info: can keep the mirror pods again, after/)]);
    stop();
  });

  it('is a failing duty while the Node object may not be read, and is not made', async () => {
    const { tell, pass, faults, logged, writes, stop } = await mirrors();
    faults.next = ({ verb }) => (verb === 'get' ? refused : undefined);
    await tell({ type: 'static-pod-present', pod: staticPod('h1') });
    await tell({ type: 'snapshot-complete' });
    await pass(10_000);
    expect(logged).toContainEqual(expect.stringContaining('cannot keep the mirror pods since 10s: quota is used up'));
    expect(writes()).toEqual([]);
    stop();
  });
});
