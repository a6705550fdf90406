import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerUnderTest, startApiServer } from '../../support/real-api/server-under-test.ts';
import { transportOf } from '../../support/real-api/transport-of.ts';
import { Kubectl, kubectlPrograms, skipWithoutKubectl } from '../../support/kubectl.ts';

const pod = (image = 'app:1', more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { containers: [{ name: 'main', image, ports: [{ containerPort: 80 }] }], ...more },
});

// The end-to-end tests cover the commands that need a node with running pods.
const SUITE = 'kubectl and the API server alone';

describe.skipIf(skipWithoutKubectl(SUITE)).for(kubectlPrograms())(`${SUITE} (%s)`, (program) => {
  let server: ServerUnderTest;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startApiServer(SUITE);
    kubectl = new Kubectl(program, server.kubeconfig);
  }, 60_000);
  afterAll(async () => {
    kubectl?.close();
    await server?.close();
  });

  const lines = (text: string): readonly string[] =>
    text.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, '  '));

  it('discovers the resources and versions', async () => {
    expect(await kubectl.ok('version')).toMatch(/^Server Version: v\d+\./m);
    const resources = lines(await kubectl.ok('api-resources', '--no-headers'));
    expect(resources).toContain('pods  po  v1  true  Pod');
    expect(resources).toContain('leases  coordination.k8s.io/v1  true  Lease');
    expect(await kubectl.ok('api-versions')).toMatch(/^certificates\.k8s\.io\/v1$/m);
    expect(await kubectl.ok('explain', 'pod.spec.containers.image')).toMatch(/image\s+<string>[^]*image/i);
    expect(await kubectl.ok('explain', 'pod.metadata.labels')).toMatch(/labels\s+<map\[string\]string>/);
    expect(await kubectl.ok('explain', 'pod.spec.containers.livenessProbe')).toMatch(/periodSeconds\s+<integer>/);
  });

  it('creates, gets, describes and deletes objects', async () => {
    expect(await kubectl.ok('run', 'one', '--image=app:1')).toBe('pod/one created');
    expect(lines(await kubectl.ok('get', 'pods', '-o', 'wide'))).toEqual([
      expect.stringMatching(
        /^NAME {2}READY {2}STATUS {2}RESTARTS {2}AGE {2}IP {2}NODE {2}NOMINATED NODE {2}READINESS GATES$/,
      ),
      expect.stringMatching(/^one {2}0\/1 {2}Pending {2}0 {2}\d+s {2}<none> {2}<none> {2}<none> {2}<none>$/),
    ]);
    expect(await kubectl.ok('describe', 'pod', 'one')).toMatch(/^QoS Class:\s+BestEffort$/m);
    expect(await kubectl.ok('get', 'pod', 'one', '-o', 'jsonpath={.spec.restartPolicy}')).toBe('Always');
    expect(await kubectl.ok('delete', 'pod', 'one')).toMatch(/^pod "one" deleted/);
    expect(await kubectl.fails('get', 'pod', 'one')).toBe('Error from server (NotFound): pods "one" not found');
  });

  it('applies a file repeatedly', async () => {
    const file = kubectl.file('web.json', pod());
    expect(await kubectl.ok('apply', '-f', file)).toBe('pod/web created');
    expect(await kubectl.ok('apply', '-f', file)).toBe('pod/web unchanged');
    kubectl.file('web.json', pod('app:2'));
    expect(await kubectl.ok('apply', '-f', file, '--dry-run=server')).toBe('pod/web configured (server dry run)');
    expect(await kubectl.ok('apply', '-f', file)).toBe('pod/web configured');
    expect(await kubectl.ok('get', 'pod', 'web', '-o', 'jsonpath={.spec.containers[*].image}')).toBe('app:2');
    kubectl.file('web.json', pod('app:2', { hostNetwork: true }));
    expect(await kubectl.fails('apply', '-f', file)).toMatch(/^The Pod "web" is invalid: .*spec: Forbidden/s);
  });

  it('changes existing objects', async () => {
    expect(await kubectl.ok('label', 'pod', 'web', 'tier=front')).toBe('pod/web labeled');
    expect(await kubectl.ok('get', 'pods', '-l', 'tier=front', '-o', 'name')).toBe('pod/web');
    expect(await kubectl.ok('label', 'pod', 'web', 'tier-')).toMatch(/^pod\/web (unlabeled|labeled)$/);
    expect(await kubectl.ok('annotate', 'pod', 'web', 'note=hello')).toMatch(/^pod\/web annotated?$/);
    const image = '{"spec":{"containers":[{"name":"main","image":"app:3"}]}}';
    expect(await kubectl.ok('patch', 'pod', 'web', '-p', image)).toBe('pod/web patched');
    expect(await kubectl.ok('patch', 'pod', 'web', '-p', image)).toBe('pod/web patched (no change)');
    const replace = '[{"op":"replace","path":"/spec/containers/0/image","value":"app:4"}]';
    expect(await kubectl.ok('patch', 'pod', 'web', '--type=json', '-p', replace)).toBe('pod/web patched');
    expect(await kubectl.ok('set', 'image', 'pod/web', 'main=app:5')).toBe('pod/web image updated');
    const editor = kubectl.file('edit.sh', '#!/bin/sh\nsed -i "s/app:5/app:6/" "$1"\n');
    expect(await kubectl.run(['edit', 'pod', 'web'], { KUBE_EDITOR: editor })).toMatchObject({
      code: 0,
      out: 'pod/web edited\n',
    });
    expect(await kubectl.ok('get', 'pod', 'web', '-o', 'jsonpath={.spec.containers[*].image}')).toBe('app:6');
  });

  it('waits for a condition', async () => {
    const waiting = kubectl.ok('wait', '--for=condition=Ready', 'pod/web', '--timeout=30s');
    const api = transportOf(server.kubeconfig);
    const path = '/api/v1/namespaces/default/pods/web/status';
    const body = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    await api.call({ verb: 'patch', path, body, priority: 'status' }, 5_000);
    api.close();
    expect(await waiting).toBe('pod/web condition met');
    expect(await kubectl.fails('wait', '--for=condition=Other', 'pod/web', '--timeout=1s')).toMatch(/timed out/);
  });

  it('watches objects', async () => {
    const watch = kubectl.start(
      'get',
      'pods',
      'web',
      '-w',
      '--no-headers',
      '-o',
      'custom-columns=I:.spec.containers[0].image',
    );
    if (!watch.stdout) throw new Error('its output is not read');
    const read = createInterface(watch.stdout)[Symbol.asyncIterator]();
    expect((await read.next()).value).toBe('app:6');
    await kubectl.ok('set', 'image', 'pod/web', 'main=app:7');
    expect((await read.next()).value).toBe('app:7');
    watch.kill();
  });

  it('gets an error that names the reason', async () => {
    const unknown = kubectl.file('unknown.json', { ...pod(), spec: { containers: [{ name: 'm', imagee: 'x' }] } });
    expect(await kubectl.fails('create', '-f', unknown)).toMatch(/unknown field "(spec\.containers\[0\]\.)?imagee"/);
    expect(await kubectl.fails('run', 'web', '--image=app:1')).toBe(
      'Error from server (AlreadyExists): pods "web" already exists',
    );
    expect(await kubectl.fails('get', 'pods', '--field-selector=spec.nothing=1')).toMatch(/field label not supported/);
    // The pod has never run: there are no logs, and no container for exec.
    expect(await kubectl.ok('logs', 'web')).toBe('');
    expect(await kubectl.fails('exec', 'web', '--', 'true')).toMatch(/pod web does not have a host assigned/);
    expect(await kubectl.fails('get', 'widgets')).toMatch(/the server doesn't have a resource type "widgets"/);
  });

  it('creates config maps, secrets and accounts for pods', async () => {
    await kubectl.ok('create', 'namespace', 'team');
    await kubectl.ok('-n', 'team', 'create', 'configmap', 'c', '--from-literal=a=b');
    await kubectl.ok('-n', 'team', 'create', 'secret', 'generic', 's', '--from-literal=p=q');
    await kubectl.ok('-n', 'team', 'create', 'serviceaccount', 'bob');
    await kubectl.ok('-n', 'team', 'create', 'service', 'clusterip', 'v', '--tcp=80:8080');
    expect(await kubectl.ok('-n', 'team', 'get', 'secret', 's', '-o', 'jsonpath={.data.p}')).toBe('cQ==');
    // A server with controllers creates more objects.
    const names = (await kubectl.ok('-n', 'team', 'get', 'cm,secret,sa,svc', '-o', 'name')).split('\n');
    expect(names).toEqual(expect.arrayContaining(['configmap/c', 'secret/s', 'serviceaccount/bob', 'service/v']));
    expect(await kubectl.ok('auth', 'can-i', 'create', 'pods')).toBe('yes');
    expect(await kubectl.ok('delete', 'namespace', 'team', '--wait=false')).toMatch(/^namespace "team" deleted/);
  });

  it('creates roles, binds users, and checks their access', async () => {
    const asBob = (...args: readonly string[]): Promise<string> => kubectl.fails(...args, '--as=bob');
    expect(await asBob('get', 'pods')).toMatch(/User "bob" cannot list resource "pods"/);
    await kubectl.ok('create', 'role', 'lister', '--verb=get,list', '--resource=pods,pods/log');
    const rules = await kubectl.ok('get', 'role', 'lister', '-o', 'jsonpath={.rules}');
    expect(JSON.parse(rules)).toEqual([{ apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] }]);
    await kubectl.ok(
      'create',
      'rolebinding',
      'listers',
      '--role=lister',
      '--user=bob',
      '--serviceaccount=default:default',
    );
    expect(await kubectl.ok('auth', 'can-i', 'list', 'pods', '--as=bob')).toBe('yes');
    expect(await asBob('create', 'rolebinding', 'more', '--clusterrole=edit', '--user=bob')).toMatch(/forbidden/);
    await kubectl.ok('create', 'clusterrole', 'whole', '--aggregation-rule=part=whole');
    await kubectl.ok('create', 'clusterrolebinding', 'wholes', '--clusterrole=whole', '--group=all');
    await kubectl.ok('delete', 'role/lister', 'rolebinding/listers', 'clusterrole/whole', 'clusterrolebinding/wholes');
  });

  it('applies on the server, and reports conflicts', async () => {
    const settings = (x: string) =>
      kubectl.file('c.json', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { x } });
    expect(await kubectl.ok('apply', '--server-side', '-f', settings('1'))).toBe('configmap/c serverside-applied');
    expect(await kubectl.ok('patch', 'configmap', 'c', '--type=merge', '-p', '{"data":{"x":"2"}}')).toBe(
      'configmap/c patched',
    );
    expect(await kubectl.fails('apply', '--server-side', '-f', settings('3'))).toMatch(
      /Apply failed with 1 conflict: conflict with "kubectl-patch" using v1.*: \.data\.x/,
    );
    await kubectl.ok('apply', '--server-side', '--force-conflicts', '-f', settings('3'));
    const made = kubectl.file('made.json', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'd' },
      data: { x: '1' },
    });
    await kubectl.ok('create', '-f', made);
    const other = kubectl.file('other.json', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'd' },
      data: { x: '2' },
    });
    expect(await kubectl.fails('apply', '--server-side', '--field-manager=other', '-f', other)).toMatch(
      /conflict with "kubectl-create" using v1.*: \.data\.x/,
    );
    expect(await kubectl.ok('get', 'configmap', 'c', '-o', 'jsonpath={.data.x}')).toBe('3');
  });

  it('compares objects, copies objects, and requests raw paths', async () => {
    const file = kubectl.file('same.json', { ...pod(), metadata: { name: 'same' } });
    expect(await kubectl.ok('apply', '-f', file, '--dry-run=server')).toBe('pod/same created (server dry run)');
    await kubectl.ok('create', '--save-config', '-f', file);
    expect(await kubectl.ok('diff', '-f', file)).toBe('');
    kubectl.file('same.json', { ...pod('app:2'), metadata: { name: 'same' } });
    expect(await kubectl.run(['diff', '-f', file])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^\+.*app:2$/m),
    });
    // Newer clients send a copy as CBOR or protobuf, not as JSON.
    await kubectl.ok('debug', 'same', '--image=busybox', '--copy-to=copy', '--container=dbg', '--', 'sh');
    const images = 'jsonpath={.spec.containers[*].image}';
    expect(await kubectl.ok('get', 'pod', 'copy', '-o', images)).toBe('app:1 busybox');
    await kubectl.ok('create', 'quota', 'few', '--hard=pods=5');
    expect(await kubectl.ok('get', 'quota', 'few', '-o', 'jsonpath={.spec.hard.pods}')).toBe('5');
    expect(await kubectl.ok('explain', 'pod.spec.containers', '--recursive')).toMatch(/livenessProbe/);
    expect(await kubectl.ok('get', '--raw', '/')).toMatch(/"\/api\/v1"/);
    expect(await kubectl.ok('get', '--raw', '/api/v1/namespaces/default/pods/same')).toMatch(/^\{"kind":"Pod"/);
    expect(await kubectl.fails('get', '--raw', '/apis/none.example/v1')).toMatch(/NotFound|could not find/);
    expect(await kubectl.ok('events', '--for', 'pod/same')).toBe('');
    await kubectl.ok('delete', 'quota', 'few');
  });

  it('deletes everything', async () => {
    await kubectl.ok('delete', 'pods', 'same', 'copy', '--grace-period=0', '--force');
    expect(await kubectl.ok('delete', 'pod', 'web', '--grace-period=0', '--force')).toMatch(/^pod "web" force deleted/);
    expect(await kubectl.ok('get', 'pods', '-A', '-o', 'name')).toBe('');
  });
});
