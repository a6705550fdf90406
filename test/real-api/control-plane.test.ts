import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ControlPlane } from '../support/real-api/control-plane.ts';
import { fakePrograms } from '../support/real-api/fake-programs.ts';
import { findControlPlane } from '../support/real-api/find-control-plane.ts';
import { isExecutable } from '../support/real-api/real-control-plane.ts';
import { transportOf } from '../support/real-api/transport-of.ts';

let fakes: ReturnType<typeof fakePrograms> | undefined;
afterEach(() => fakes?.remove());

function programs(scripts: Parameters<typeof fakePrograms>[0]) {
  fakes = fakePrograms(scripts);
  const found = findControlPlane({ KUBEBUILDER_ASSETS: fakes.folder }, isExecutable);
  if (!found.found) throw new Error(`not found: ${found.missing.join(' ')}`);
  return found.programs;
}

// The programs are fakes with the real flags: the test covers their search, start and end.
describe('a control plane of the found programs', { timeout: 60_000 }, () => {
  it('starts, authenticates its kubeconfigs, and leaves nothing behind', async () => {
    const plane = await ControlPlane.start(
      programs({ 'kube-apiserver': 'fake-kube-apiserver.ts', etcd: 'fake-etcd.ts' }),
    );
    const file = await plane.kubeconfigFor({ username: 'system:node:a', groups: ['system:nodes'] });
    const transport = transportOf(file);
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const outcome = await transport.call({ verb: 'create', path, body, priority: 'object' }, 5_000);
    transport.close();
    expect(outcome).toMatchObject({ ok: true, value: { status: { userInfo: { username: 'system:node:a' } } } });
    await plane[Symbol.asyncDispose]();
    expect(existsSync(dirname(file))).toBe(false);
  });

  it('reports a program that ends by itself, with its last output', async () => {
    const starting = ControlPlane.start(programs({ 'kube-apiserver': 'no-such-script.ts', etcd: 'fake-etcd.ts' }));
    await expect(starting).rejects.toThrow(/did not become ready[^]*no-such-script\.ts/);
  });
});
