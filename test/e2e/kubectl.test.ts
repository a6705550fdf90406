import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterUnderTest } from '../support/agent-process/cluster-under-test.ts';
import {
  describeOnRuntimes,
  type RuntimeUnderTest,
  startRuntime,
} from '../support/agent-process/runtime-under-test.ts';
import { runningContainers } from '../support/agent-process/runtime-view.ts';
import { startCluster } from '../support/agent-process/start-cluster.ts';
import { podManifest } from '../support/agent-process/test-pods.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import type { Summary } from '../../src/stats/summary.ts';
import { CsiDriver } from '../support/csi-driver.ts';
import { Kubectl, kubectlPrograms, skipWithoutKubectl } from '../support/kubectl.ts';

const SUITE = 'a session of kubectl with a node of its own';

describeOnRuntimes(SUITE, ['containerd'], (kind) => {
  describe.skipIf(skipWithoutKubectl(SUITE)).for(kubectlPrograms())('%s', (program) => {
    let runtime: RuntimeUnderTest;
    let cluster: ClusterUnderTest;
    let kubectl: Kubectl;
    let node: string;

    beforeAll(async () => {
      runtime = await startRuntime(kind);
      cluster = await startCluster(SUITE, runtime.endpoint);
      kubectl = new Kubectl(program, cluster.kubeconfig);
    }, 60_000);
    afterAll(async () => {
      await cluster?.stop();
      kubectl?.close();
      await runtime?.stop();
      await cluster?.discard();
    }, 60_000);

    const column = (text: string, index: number): readonly string[] =>
      text.split('\n').map((line) => line.trim().split(/ {2,}/)[index] ?? '');
    const phaseOf = (pod: string): Promise<string> => kubectl.ok('get', 'pod', pod, '-o', 'jsonpath={.status.phase}');
    const podIsReady = (pod: string): Promise<string> =>
      kubectl.ok('wait', '--for=condition=Ready', `pod/${pod}`, '--timeout=30s');

    it('finds a ready node', async () => {
      const nodes = async (): Promise<string> => kubectl.ok('get', 'nodes', '-o', 'name');
      await waitUntil(async () => (await nodes()) !== '', { what: 'the node is registered', withinMs: 30_000 });
      node = (await nodes()).replace('node/', '');
      await kubectl.ok('wait', '--for=condition=Ready', `node/${node}`, '--timeout=30s');
      const [, row] = (await kubectl.ok('get', 'nodes', '-o', 'wide')).split('\n');
      expect(row).toMatch(new RegExp(`^${node} +Ready +<none> .* containerd://`));
    });

    it('applies a pod, which gets a node and runs', async () => {
      const file = kubectl.file('app.json', podManifest('app'));
      expect(await kubectl.ok('apply', '-f', file)).toBe('pod/app created');
      expect(await podIsReady('app')).toBe('pod/app condition met');
      expect(await kubectl.ok('apply', '-f', file)).toBe('pod/app unchanged');
      const [, row] = (await kubectl.ok('get', 'pods', 'app', '-o', 'wide')).split('\n');
      expect(row).toMatch(new RegExp(`^app +1/1 +Running +0 +\\d+s +[0-9.]+ +${node} `));
      expect(
        await kubectl.ok('get', 'pods', '--field-selector', `spec.nodeName=${node},metadata.name=app`, '-o', 'name'),
      ).toBe('pod/app');
      expect(Object.keys(await runningContainers(runtime.cri))).toContain('app/app');
    });

    it('describes the pod with its events', async () => {
      const described = await kubectl.ok('describe', 'pod', 'app');
      expect(described).toMatch(new RegExp(`^Node: +${node}/`, 'm'));
      expect(described).toMatch(/^ {2}Ready +True/m);
      for (const reason of ['Pulled', 'Created', 'Started'])
        expect(described).toMatch(new RegExp(`Normal +${reason} `));
      const events = await kubectl.ok('get', 'events', '--no-headers', '--field-selector', 'involvedObject.name=app');
      expect(column(events, 2)).toEqual(expect.arrayContaining(['Pulled', 'Created', 'Started']));
    });

    it('changes the metadata while the pod keeps running', async () => {
      const before = await runningContainers(runtime.cri);
      expect(await kubectl.ok('label', 'pod', 'app', 'tier=front')).toBe('pod/app labeled');
      expect(await kubectl.ok('annotate', 'pod', 'app', 'note=hello')).toMatch(/^pod\/app annotated?$/);
      const editor = kubectl.file('edit.sh', '#!/bin/sh\nsed -i "s/tier: front/tier: back/" "$1"\n');
      expect(await kubectl.run(['edit', 'pod', 'app'], { KUBE_EDITOR: editor })).toMatchObject({ code: 0 });
      expect(await kubectl.ok('get', 'pods', '-l', 'tier=back', '-o', 'name')).toBe('pod/app');
      const patch = '{"metadata":{"labels":{"tier":null}}}';
      expect(await kubectl.ok('patch', 'pod', 'app', '-p', patch)).toBe('pod/app patched');
      const manifest = { ...podManifest('app'), metadata: { name: 'app', labels: { app: 'app', owner: 'kubectl' } } };
      const file = kubectl.file('owner.json', manifest);
      expect(await kubectl.ok('apply', '--server-side', '-f', file, '--force-conflicts')).toBe(
        'pod/app serverside-applied',
      );
      expect((await runningContainers(runtime.cri))['app/app']).toBe(before['app/app']);
    });

    it('runs a pod to its end', async () => {
      const args = ['--image=docker.io/library/busybox:1.36', '--image-pull-policy=IfNotPresent', '--restart=Never'];
      await kubectl.ok('run', 'once', ...args, '--command', '--', 'sh', '-c', 'exit 0');
      await waitUntil(async () => (await phaseOf('once')) === 'Succeeded', {
        what: 'the pod has ended',
        withinMs: 30_000,
      });
      const [, row] = (await kubectl.ok('get', 'pods', 'once')).split('\n');
      expect(row).toMatch(/^once +0\/1 +Completed +0 /);
      await kubectl.ok('delete', 'pod', 'once');
    });

    it("watches the pod's deletion, and nothing of it is left", async () => {
      const watch = kubectl.start('get', 'pods', 'app', '-w', '--no-headers');
      if (!watch.stdout) throw new Error('its output is not read');
      const rows = createInterface(watch.stdout)[Symbol.asyncIterator]();
      const next = async (): Promise<string> => column((await rows.next()).value as string, 2)[0] ?? '';
      expect(await next()).toBe('Running');
      const deleting = kubectl.ok('delete', 'pod', 'app', '--timeout=30s');
      let shown = await next();
      while (shown === 'Running') shown = await next();
      expect(shown).toBe('Terminating');
      expect(await deleting).toMatch(/^pod "app" deleted/);
      watch.kill();
      expect(await kubectl.fails('get', 'pod', 'app')).toMatch(/NotFound/);
      expect(Object.keys(await runningContainers(runtime.cri))).not.toContain('app/app');
    });

    it('claims a directory and a device from a driver, which creates, expands, measures and removes them', async () => {
      const driver = new CsiDriver('disks.test', join(cluster.rootDir, 'disks'));
      driver.expands = true;
      driver.measures = true;
      await driver.start(join(cluster.rootDir, 'plugins_registry'));
      const put = (kind: string, object: object): Promise<string> =>
        kubectl.ok('apply', '-f', kubectl.file(`${kind}.json`, { kind, ...object }));
      // A cluster's volume controller does this.
      const bind = async (name: string, volumeMode: 'Filesystem' | 'Block'): Promise<void> => {
        const claimed = { accessModes: ['ReadWriteOnce'], storageClassName: '', volumeMode };
        const claim = {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name, namespace: 'default' },
          spec: { ...claimed, volumeName: `pv-${name}`, resources: { requests: { storage: '1Gi' } } },
        };
        await put('PersistentVolumeClaim', claim);
        const uid = await kubectl.ok('get', 'pvc', name, '-o', 'jsonpath={.metadata.uid}');
        const csi = { driver: 'disks.test', volumeHandle: `vol-${name}` };
        const claimRef = { kind: 'PersistentVolumeClaim', namespace: 'default', name, uid };
        const spec = { ...claimed, capacity: { storage: '1Gi' }, csi, claimRef };
        await put('PersistentVolume', { apiVersion: 'v1', metadata: { name: `pv-${name}` }, spec });
        const bound = { ...claim, status: { phase: 'Bound', ...claimed, capacity: { storage: '1Gi' } } };
        const status = `/api/v1/namespaces/default/persistentvolumeclaims/${name}/status`;
        await kubectl.ok('replace', '--raw', status, '-f', kubectl.file('bound.json', bound));
      };
      const volumes = ['data', 'raw'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
      const pod = podManifest('stored', { spec: { volumes } });
      const containers = pod.spec.containers.map((each) => ({
        ...each,
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
        volumeDevices: [{ name: 'raw', devicePath: '/dev/disk' }],
      }));
      try {
        const spec = { attachRequired: false };
        await put('CSIDriver', { apiVersion: 'storage.k8s.io/v1', metadata: { name: 'disks.test' }, spec });
        await bind('data', 'Filesystem');
        await bind('raw', 'Block');
        await put('Pod', { ...pod, spec: { ...pod.spec, containers } });
        expect(await podIsReady('stored')).toBe('pod/stored condition met');
        expect(await kubectl.ok('get', 'csinode', node, '-o', 'jsonpath={.spec.drivers[0].name}')).toBe('disks.test');
        const write = 'test -b /dev/disk && echo raw > /dev/disk && echo kept > /data/file';
        await kubectl.ok('exec', 'stored', '--', 'sh', '-c', write);
        expect(readFileSync(join(cluster.rootDir, 'disks/vol-data/file'), 'utf8')).toBe('kept\n');
        const seen = async (): Promise<readonly string[]> => {
          const summary = await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/stats/summary`);
          const { pods } = JSON.parse(summary) as Summary;
          const stored = pods.find(({ podRef }) => podRef.name === 'stored')?.volume ?? [];
          return stored.map(({ name, pvcRef, capacityBytes = 0 }) => `${name} ${pvcRef?.name} ${capacityBytes > 0}`);
        };
        const areMeasured = { what: 'its claims are measured', withinMs: 15_000 };
        await waitUntil(async () => (await seen()).join() === 'data data true,raw raw true', areMeasured);
        expect(await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/metrics`)).toMatch(
          /^kubelet_volume_stats_capacity_bytes\{namespace="default",persistentvolumeclaim="data"\} \d/m,
        );
        await kubectl.ok('patch', 'pv', 'pv-data', '-p', '{"spec":{"capacity":{"storage":"2Gi"}}}');
        await kubectl.ok('label', 'pod', 'stored', 'look=again');
        const size = (): Promise<string> =>
          kubectl.ok('get', 'pvc', 'data', '-o', 'jsonpath={.status.capacity.storage}');
        await waitUntil(async () => (await size()) === '2Gi', { what: 'the claim is larger', withinMs: 15_000 });
        await kubectl.ok('delete', 'pod', 'stored', '--timeout=30s');
        expect(readFileSync(join(cluster.rootDir, 'disks/vol-raw.img'), 'utf8').slice(0, 4)).toBe('raw\n');
        const callsOf = (volume: string): readonly (string | undefined)[] =>
          driver.calls.filter((call) => call.endsWith(volume)).map((call) => call.split(' ')[0]);
        expect(callsOf('vol-data')).toEqual(['stage', 'publish', 'expand', 'unpublish', 'unstage']);
        expect(callsOf('vol-raw')).toEqual(['stage', 'publish', 'unpublish', 'unstage']);
      } finally {
        driver.stop();
        driver.detachAll();
      }
    });

    it('meets an agent that exchanges its objects in protobuf', async () => {
      const metrics = await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/metrics`);
      const counts = [
        ...metrics.matchAll(/^hivelet_api_answers_total\{resource="([^"]+)",encoding="([^"]+)"\} [1-9]/gm),
      ].map(([, resource, encoding]) => `${resource} ${encoding}`);
      const resources = ['pods', 'pods/status', 'nodes', 'leases', 'events', 'services', 'csinodes'];
      expect(counts).toEqual(expect.arrayContaining(resources.map((resource) => `${resource} protobuf`)));
      // A server's version is no object of the API.
      expect(counts.filter((each) => each.endsWith('json'))).toEqual(['/version json']);
    });

    it('gets the reason why a pod is rejected', async () => {
      const broken = kubectl.file('broken.json', podManifest('broken', { spec: { restartPolicy: 'Sometimes' } }));
      expect(await kubectl.fails('create', '-f', broken)).toMatch(
        /The Pod "broken" is invalid: spec\.restartPolicy: Unsupported value: "Sometimes"/,
      );
      expect(await kubectl.ok('get', 'pods', 'broken', '--ignore-not-found')).toBe('');
    });

    it('stops in order, with every pod stopped', async () => {
      expect(await cluster.stop()).toBe(0);
      expect(await runningContainers(runtime.cri)).toEqual({});
    });
  });
});
