import { createHash, randomBytes } from 'node:crypto';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hivelet } from '../support/agent-process/agent-process.ts';
import { startCluster } from '../support/agent-process/start-cluster.ts';
import { apiAccess } from '../support/api-access.ts';
import type { ClusterUnderTest } from '../support/agent-process/cluster-under-test.ts';
import { DevProcess } from '../support/agent-process/dev-process.ts';
import {
  describeOnRuntimes,
  type RuntimeUnderTest,
  startRuntime,
} from '../support/agent-process/runtime-under-test.ts';
import type { Summary } from '../../src/stats/summary.ts';
import { checkMetricText } from '../stats/check-metric-text.ts';
import { RuntimeServiceService } from '../../src/cri/gen/api.ts';
import { runningContainers } from '../support/agent-process/runtime-view.ts';
import { checkMetrics, skipWithoutPromtool } from '../support/promtool.ts';
import { waitUntil } from '../support/containerd/wait-until.ts';
import { Kubectl, kubectlPrograms, skipWithoutKubectl } from '../support/kubectl.ts';
import { typedTerminal, type TypedTerminal } from '../support/typed-terminal.ts';

const SUITE = 'what kubectl streams from a node';
const MIB = 1024 * 1024;

const container = (name: string, script: string, more: object = {}): object => ({
  name,
  image: 'docker.io/library/busybox:1.36',
  imagePullPolicy: 'IfNotPresent',
  command: ['sh', '-c', script],
  ...more,
});
const pod = (name: string, containers: readonly object[], spec: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { of: 'kubectl' } },
  spec: { terminationGracePeriodSeconds: 1, containers, ...spec },
});

const talks = container(
  'talks',
  'for n in 1 2 3 4 5; do echo line $n; done; echo oops >&2; trap exit TERM; sleep 600 & wait',
);
const serves = container('serves', 'mkdir /www; echo hello >/www/index.html; exec httpd -f -p 8080 -h /www');
const echoes = container('echoes', 'while read -r line; do echo "heard $line"; done', { stdin: true });
const again = container(
  'again',
  'if [ -e /kept/been ]; then echo second; exec sleep 600; fi; touch /kept/been; echo first; exit 1',
  {
    volumeMounts: [{ name: 'kept', mountPath: '/kept' }],
  },
);

/**
 * A stream that has begun. `ended` resolves to whether the client knows that the stream was cut short. The result is
 * an object, since awaiting the stream must not await its end.
 */
interface Lost {
  readonly lost: Promise<boolean>;
}

/** A container's output, from a log in CRI format: a record per line; records with `P` continue in the next line. */
function recordsOf(file: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let from = 0; from < file.length;) {
    const end = file.indexOf('\n', from);
    const [head = '', part] = /^\S+ std(?:out|err) ([PF]) /.exec(file.toString('latin1', from, from + 60)) ?? [];
    pieces.push(file.subarray(from + head.length, end));
    if (part === 'F') pieces.push(Buffer.from('\n'));
    from = end + 1;
  }
  return Buffer.concat(pieces);
}

/** Pods may be ready before the server of their node is. */
async function untilNodeServes(kubectl: Kubectl): Promise<void> {
  const [name = ''] = (await kubectl.ok('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
  const healthz = (): Promise<{ readonly code: number | null }> =>
    kubectl.run(['get', '--raw', `/api/v1/nodes/${name}/proxy/healthz`]);
  await waitUntil(async () => (await healthz()).code === 0, {
    what: 'the node serves',
    withinMs: 30_000,
    everyMs: 100,
  });
}

describeOnRuntimes(SUITE, ['containerd'], (kind) => {
  describe.skipIf(skipWithoutKubectl(SUITE)).for(kubectlPrograms())('%s', (program) => {
    let runtime: RuntimeUnderTest;
    let dev: ClusterUnderTest;
    let kubectl: Kubectl;
    const started: ChildProcess[] = [];

    beforeAll(async () => {
      runtime = await startRuntime(kind);
      dev = await startCluster(SUITE, runtime.endpoint);
      kubectl = new Kubectl(program, dev.kubeconfig);
      await kubectl.ok('apply', '-f', kubectl.file('app.json', pod('app', [talks, serves, echoes])));
      const kept = { volumes: [{ name: 'kept', emptyDir: {} }] };
      await kubectl.ok('apply', '-f', kubectl.file('again.json', pod('again', [again], kept)));
      await kubectl.ok('wait', '--for=condition=Ready', 'pod/app', '--timeout=30s');
      await untilNodeServes(kubectl);
    }, 60_000);
    afterAll(async () => {
      for (const child of started) child.kill();
      await dev?.stop();
      kubectl?.close();
      await runtime?.stop();
      await dev?.discard();
    }, 60_000);

    /** Runs kubectl with bytes as its input, and returns the bytes of its output. */
    const piped = (args: readonly string[], input: Buffer): Promise<{ code: number | null; out: Buffer }> =>
      new Promise((resolve) => {
        const env = { PATH: process.env['PATH'], HOME: kubectl.folder, KUBECONFIG: dev.kubeconfig };
        const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
        started.push(child);
        const pieces: Buffer[] = [];
        child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
        child.once('close', (code) => resolve({ code, out: Buffer.concat(pieces) }));
        child.stdin.end(input);
      });
    const ended = async (child: ChildProcess): Promise<unknown> => (await once(child, 'close'))[0];
    const terminal = (shell: string): TypedTerminal => {
      const env = { PATH: process.env['PATH'], HOME: kubectl.folder, KUBECONFIG: dev.kubeconfig, KUBECTL: program };
      const opened = typedTerminal(shell, env);
      started.push(opened.child);
      return opened;
    };
    const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    const logs = (...args: readonly string[]): Promise<string> => kubectl.ok('logs', 'app', '-c', 'talks', ...args);
    const linesFrom = (...args: readonly string[]): AsyncIterator<string> => {
      const child = kubectl.start(...args);
      started.push(child);
      if (!child.stdout) throw new Error('its output is not read');
      return createInterface(child.stdout)[Symbol.asyncIterator]();
    };

    it('shows the usage of the node and its pods', async () => {
      const [name = ''] = (await kubectl.ok('get', 'nodes', '-o', 'name')).trim().split('\n');
      const node = name.replace('node/', '');
      const raw = (path: string) => kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy${path}`);
      const { pods } = JSON.parse(await raw('/stats/summary')) as Summary;
      const app = pods.find(({ podRef }) => podRef.name === 'app');
      expect(app?.containers.map((each) => each.name).toSorted()).toEqual(['echoes', 'serves', 'talks']);
      for (const each of app?.containers ?? []) {
        expect(each.cpu?.usageCoreNanoSeconds).toBeGreaterThan(0);
        expect(each.memory?.workingSetBytes).toBeGreaterThan(0);
        expect(each.rootfs?.capacityBytes).toBeGreaterThan(0);
      }
      expect(app?.network?.interfaces?.map((each) => each.name)).toContain('eth0');
      for (const path of ['/metrics', '/metrics/resource', '/metrics/cadvisor', '/metrics/probes', '/metrics/slis']) {
        expect(checkMetricText(`${await raw(path)}\n`)).toBeInstanceOf(Map);
      }
      const cadvisor = await raw('/metrics/cadvisor');
      for (const name of ['cpu_user_seconds_total', 'file_descriptors', 'ulimits_soft']) {
        expect(cadvisor).toMatch(new RegExp(`^container_${name}\\{container="talks",id="[^"]+".*\\} [0-9]`, 'm'));
      }
      // An API server by itself has no metrics to show.
      const top = async (...args: readonly string[]): Promise<string> => {
        const { out, err } = await kubectl.run(['top', ...args]);
        return `${out}${err}`.trim();
      };
      const none = /^error: Metrics API not available$/;
      expect(await top('pod', 'app', '--containers')).toMatch(dev.hasMetrics ? /app +talks +\d+m +\d+Mi/ : none);
      expect(await top('node')).toMatch(dev.hasMetrics ? new RegExp(`${node} +\\d+m +\\d+% +\\d+Mi +\\d+%`) : none);
    }, 20_000);

    it('shows as much of a log as requested', async () => {
      const whole = await logs();
      expect(whole.split('\n').toSorted()).toEqual(['line 1', 'line 2', 'line 3', 'line 4', 'line 5', 'oops']);
      expect((await logs('--tail=2')).split('\n')).toHaveLength(2);
      expect(await logs('--tail=0')).toBe('');
      expect(await logs('--limit-bytes=9')).toBe(whole.slice(0, 9).trim());
      expect(await logs('--since=1h', '--pod-running-timeout=5s')).toBe(whole);
      expect(await logs('--insecure-skip-tls-verify-backend')).toBe(whole);
      expect(await logs('--since-time=2999-01-01T00:00:00Z')).toBe('');
      expect(await logs('--timestamps', '--tail=1')).toMatch(/^\d{4}-\d\d-\d\dT[\d:]+\.\d+Z \S/);
      expect(await kubectl.ok('logs', 'app', '--all-containers', '--prefix')).toMatch(/^\[pod\/app\/talks\] line 1$/m);
      const ofAll = ['logs', '-l', 'of=kubectl', '--all-containers', '--prefix', '--ignore-errors'];
      // Older versions lack this flag.
      const allPods = await kubectl.run(['logs', 'app', '--all-pods', '--all-containers']);
      expect(`${allPods.out}${allPods.err}`).toMatch(/^\[pod\/app\/talks\] line 1$|unknown flag: --all-pods/m);
      expect(await kubectl.ok(...ofAll, '--tail=-1')).toMatch(/^\[pod\/app\/talks\] line 5$/m);
      expect(await kubectl.fails(...ofAll, '-f', '--max-log-requests=1')).toMatch(/maximum allowed concurrency is 1/);
    });

    it('shows the log of the previous container', async () => {
      const previous = (): ReturnType<Kubectl['run']> => kubectl.run(['logs', 'again', '-p']);
      await waitUntil(async () => (await previous()).code === 0, { what: 'it was restarted', withinMs: 30_000 });
      expect((await previous()).out.trim()).toBe('first');
      expect(await kubectl.fails('logs', 'app', '-c', 'talks', '-p')).toMatch(/previous terminated container "talks"/);
    });

    it('refuses the log of a container that the pod does not have', async () => {
      expect(await kubectl.fails('logs', 'app', '-c', 'nobody')).toMatch(/container nobody is not valid for pod app/);
    });

    it('follows a log, and attaches to the input of a container', async () => {
      const follower = linesFrom('logs', '-f', 'app', '-c', 'echoes');
      expect((await piped(['attach', '-i', '-q', 'app', '-c', 'echoes'], Buffer.from('one\n'))).code).toBe(0);
      expect((await follower.next()).value).toBe('heard one');
    });

    it('runs commands, and exits with their code', async () => {
      expect(await kubectl.ok('exec', 'app', '-c', 'talks', '--', 'echo', 'a b', '"c"')).toBe('a b "c"');
      const failing = await kubectl.run([
        'exec',
        'app',
        '-c',
        'talks',
        '--',
        'sh',
        '-c',
        'echo out; echo err >&2; exit 7',
      ]);
      expect(failing).toMatchObject({ code: 7, out: 'out\n' });
      expect(failing.err).toMatch(/^err$/m);
      expect(await kubectl.fails('exec', 'app', '-c', 'talks', '--', 'no-such-program')).toMatch(/no-such-program/);
    });

    it("gives a command a terminal of the client's size, also after a resize", async () => {
      const { type, shows, ended } = terminal(
        'tty; stty rows 33 cols 101; exec "$KUBECTL" exec -it app -c talks -- sh',
      );
      const device = await shows(/\/dev\/pts\/\d+/);
      await shows(/# /);
      type('stty size\n');
      await shows(/33 101/);
      await once(spawn('stty', ['-F', device, 'rows', '44', 'cols', '90']), 'close');
      type('until [ "$(stty size)" = "44 90" ]; do :; done; echo it is $(stty size); exit 3\n');
      await shows(/it is 44 90/);
      expect(await ended).toBe(3);
    });

    it("attaches to a container's terminal, and runs a pod until its input ends", async () => {
      const image = 'docker.io/library/busybox:1.36';
      const run = `"$KUBECTL" run typed -it --rm --restart=Never --image=${image} --image-pull-policy=IfNotPresent`;
      const { type, shows, ended } = terminal(`stty rows 33 cols 101; exec ${run} -- sh`);
      await shows(/# /);
      type('stty size\n');
      await shows(/33 101/);
      const other = terminal('exec "$KUBECTL" attach -it -q typed');
      other.type('echo it is $((40 + 2))\n');
      await Promise.all([other.shows(/it is 42/), shows(/it is 42/)]);
      type('exit 5\n');
      expect(await Promise.all([ended, other.ended])).toEqual([5, 0]);
      expect(await kubectl.fails('get', 'pod', 'typed')).toMatch(/NotFound/);
    });

    const debugImage = '--image=docker.io/library/busybox:1.36';
    const saysAtLast = (pod: string, container: string): Promise<string> =>
      waitUntil(async () => (await kubectl.run(['logs', pod, '-c', container])).out || false, {
        what: `${pod} has said what it sees`,
        withinMs: 20_000,
        everyMs: 100,
      });

    it('debugs a container from an ephemeral container', async () => {
      const debug = ['debug', 'app', debugImage, '--target=talks', '-c', 'looks', '--', 'cat', '/proc/1/cmdline'];
      // API servers before v1.23 have no ephemeral containers, and kubectl reports that.
      const hasEphemeral = (await kubectl.ok('get', '--raw', '/api/v1')).includes('"pods/ephemeralcontainers"');
      const { err } = await kubectl.run(debug);
      // The first process is that of the target container.
      expect(hasEphemeral ? await saysAtLast('app', 'looks') : err).toContain(
        hasEphemeral ? 'trap exit TERM' : 'ephemeral containers are disabled for this cluster',
      );
    });

    it('debugs a copy of a pod with an added container, and the node from a debug pod', async () => {
      const copy = ['--copy-to=copied', '-c', 'looks', '--share-processes', '--', 'sh', '-c', 'ps -o args'];
      const [node = ''] = (await kubectl.ok('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
      const onNode = kubectl.file('on-node.json', { seen: 'on the node' });
      const script = `cat /host${onNode}; tr '\\0' ' ' </proc/${process.pid}/cmdline`;
      await Promise.all([
        kubectl.ok('debug', 'again', debugImage, ...copy),
        kubectl.ok('debug', `node/${node}`, debugImage, '--', 'sh', '-c', script),
      ]);
      expect(await saysAtLast('copied', 'looks')).toContain('pause');
      const pods = await kubectl.ok('get', 'pods', '-o', 'name');
      const nodeDebugger = /pod\/(node-debugger-\S+)/.exec(pods)?.[1] ?? '';
      const seen = await saysAtLast(nodeDebugger, 'debugger');
      expect(seen).toContain('on the node');
      expect(seen).toContain(process.argv[0]);
      await kubectl.ok('delete', 'pod', 'copied', nodeDebugger, '--now', '--wait=false');
    });

    it('leaves no process of commands whose clients have disconnected', async () => {
      const env = { PATH: process.env['PATH'], HOME: kubectl.folder, KUBECONFIG: dev.kubeconfig };
      const args = ['exec', '-i', 'app', '-c', 'serves', '--', 'cat'];
      const clients = Array.from({ length: 5 }, () =>
        spawn(program, args, { env, stdio: ['pipe', 'ignore', 'ignore'] }),
      );
      started.push(...clients);
      const running = async (): Promise<number> => {
        const all = await kubectl.ok('exec', 'app', '-c', 'serves', '--', 'ps', '-o', 'args');
        return all.split('\n').filter((line) => line.trim() === 'cat').length;
      };
      const patience = { withinMs: 20_000, everyMs: 100 };
      await waitUntil(async () => (await running()) === 5, { what: 'all commands run', ...patience });
      for (const client of clients) client.kill('SIGKILL');
      const noneRuns = async (): Promise<boolean> => (await running()) === 0;
      expect(await waitUntil(noneRuns, { what: 'no command runs any more', ...patience })).toBe(true);
    });

    it('carries bytes to a command and back unchanged', async () => {
      const bytes = randomBytes(MIB);
      const { code, out } = await piped(['exec', '-i', 'app', '-c', 'talks', '--', 'cat'], bytes);
      expect({ code, length: out.length, hash: hashOf(out) }).toEqual({ code: 0, length: MIB, hash: hashOf(bytes) });
    });

    it('copies a tree of 50 MiB there and back', async () => {
      const tree = join(kubectl.folder, 'tree');
      mkdirSync(join(tree, 'deep/er'), { recursive: true });
      const files = Array.from({ length: 10 }, (_, index) => [`deep/er/bytes-${index}`, randomBytes(5 * MIB)] as const);
      for (const [name, bytes] of files) writeFileSync(join(tree, name), bytes);
      writeFileSync(join(tree, 'empty'), '');
      await kubectl.ok('cp', tree, 'app:/tmp/tree', '-c', 'talks');
      const back = join(kubectl.folder, 'back');
      await kubectl.ok('cp', 'app:/tmp/tree', back, '-c', 'talks');
      for (const [name, bytes] of files) expect(hashOf(readFileSync(join(back, name)))).toBe(hashOf(bytes));
      expect(readFileSync(join(back, 'empty'), 'utf8')).toBe('');
    });

    it('forwards ports, and rejects a closed port without affecting another', async () => {
      const forwarded = async (port: number): Promise<string> => {
        const first = await linesFrom('port-forward', 'pod/app', `:${port}`).next();
        return `http://127.0.0.1:${/127\.0\.0\.1:(\d+) ->/.exec(String(first.value))?.[1]}/`;
      };
      const [good, bad] = await Promise.all([forwarded(8080), forwarded(8099)]);
      const page = async (): Promise<string> => (await fetch(good)).text();
      expect(await Promise.all([page(), page(), page()])).toEqual(['hello\n', 'hello\n', 'hello\n']);
      await expect(fetch(bad)).rejects.toThrow('fetch failed');
      expect(await page()).toBe('hello\n');
    });

    it('shows a log byte for byte, by every endpoint and over a rotation', async () => {
      const script = [
        // Every byte value, a line longer than the runtime's buffer, empty lines, and an end without a newline.
        'printf "$(for n in $(seq 0 255); do printf \'\\\\%03o\' $n; done)"',
        "head -c 50000 /dev/zero | tr '\\0' x; echo; echo; echo; echo before",
        'until [ -e /tmp/go ]; do usleep 20000; done',
        'for n in $(seq 1 300); do echo after $n; done; printf unfinished',
      ].join('; ');
      await kubectl.ok(
        'apply',
        '-f',
        kubectl.file('bytes.json', pod('bytes', [container('main', script)], { restartPolicy: 'Never' })),
      );
      await kubectl.ok('wait', '--for=condition=Ready', 'pod/bytes', '--timeout=30s');
      const containerId = (await runningContainers(runtime.cri))['bytes/main'] ?? '';
      const { status } = await runtime.cri.call(RuntimeServiceService.containerStatus, { containerId, verbose: false });
      const path = status?.logPath ?? '';
      const [node = ''] = (await kubectl.ok('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
      const log = `/api/v1/nodes/${node}/proxy/containerLogs/default/bytes/main`;
      const ways: readonly (readonly string[])[] = [
        ['logs', 'bytes'],
        ['get', '--raw', log],
      ];
      const inFile = (...paths: readonly string[]): Buffer =>
        Buffer.concat(paths.map((each) => recordsOf(readFileSync(each))));
      await waitUntil(async () => inFile(path).includes('before\n'), { what: 'it has said all', withinMs: 10_000 });
      for (const way of ways) {
        const { out } = await piped(way, Buffer.alloc(0));
        expect(hashOf(out)).toBe(hashOf(inFile(path)));
      }
      const followers = [
        ['logs', '-f', 'bytes'],
        ['get', '--raw', `${log}?follow=true`],
      ].map((args) => {
        const child = kubectl.start(...args);
        started.push(child);
        const pieces: Buffer[] = [];
        child.stdout?.on('data', (piece: Buffer) => pieces.push(piece));
        return { child, pieces };
      });
      await waitUntil(async () => followers.every(({ pieces }) => Buffer.concat(pieces).includes('before\n')), {
        what: 'all follow',
        withinMs: 10_000,
      });
      renameSync(path, `${path}.before`);
      await runtime.cri.call(RuntimeServiceService.reopenContainerLog, { containerId });
      await kubectl.ok('exec', 'bytes', '--', 'touch', '/tmp/go');
      const heard = await Promise.all(
        followers.map(async ({ child, pieces }) => [await ended(child), Buffer.concat(pieces)] as const),
      );
      const whole = hashOf(inFile(`${path}.before`, path));
      for (const [code, bytes] of heard) expect({ code, hash: hashOf(bytes) }).toEqual({ code: 0, hash: whole });
    }, 45_000);

    it('reaches a pod through its proxy, at a named port', async () => {
      const page = (path: string): Promise<string> =>
        kubectl.ok('get', '--raw', `/api/v1/namespaces/default/pods/${path}`);
      expect(await page('app:8080/proxy/index.html')).toBe('hello');
      expect(await page('http:app:8080/proxy/')).toBe('hello');
      expect(await kubectl.fails('get', '--raw', '/api/v1/namespaces/default/pods/app:8080/proxy/none')).toMatch(
        /NotFound|could not find/,
      );
      expect(await kubectl.fails('get', '--raw', '/api/v1/namespaces/default/pods/none/proxy/')).toMatch(/NotFound/);
    });

    it('reaches the node through its proxy', async () => {
      const [node = ''] = (await kubectl.ok('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
      expect(await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/healthz`)).toBe('ok');
      const pods = JSON.parse(await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/pods`)) as { kind: string };
      expect(pods.kind).toBe('PodList');
    });
  });
});

describeOnRuntimes('what kubectl streams from a simulated node', ['embedded'], (kind) => {
  describe.skipIf(skipWithoutKubectl(SUITE)).for(kubectlPrograms())('%s', (program) => {
    let runtime: RuntimeUnderTest;
    let dev: DevProcess;
    let kubectl: Kubectl;
    const started: ChildProcess[] = [];

    beforeAll(async () => {
      runtime = await startRuntime(kind, {});
      dev = await DevProcess.start(runtime.endpoint, ['--enable-fault-injection']);
      kubectl = new Kubectl(program, dev.kubeconfig);
      const app = container('main', 'serve', { ports: [{ containerPort: 8080 }] });
      await kubectl.ok('apply', '-f', kubectl.file('app.json', pod('app', [app])));
      await kubectl.ok('wait', '--for=condition=Ready', 'pod/app', '--timeout=30s');
      await untilNodeServes(kubectl);
    }, 60_000);
    afterAll(async () => {
      for (const child of started) child.kill();
      await dev?.stop();
      kubectl?.close();
      await runtime?.stop();
      await dev?.discard();
    }, 60_000);

    it.each(['true', 'false'])(
      'runs commands (over WebSocket: %s), with bytes unchanged both ways',
      async (webSocket) => {
        const env = {
          PATH: process.env['PATH'],
          HOME: kubectl.folder,
          KUBECONFIG: dev.kubeconfig,
          KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSocket,
        };
        const run = (args: readonly string[], input = Buffer.alloc(0)) =>
          new Promise<{ code: number | null; out: Buffer; err: string }>((resolve) => {
            const child = spawn(program, ['exec', '-i', 'app', '--', ...args], { env });
            started.push(child);
            const out: Buffer[] = [];
            let err = '';
            child.stdout.on('data', (piece: Buffer) => out.push(piece));
            child.stderr.on('data', (piece: Buffer) => (err += piece.toString()));
            child.once('close', (code) => resolve({ code, out: Buffer.concat(out), err }));
            // A client that ends early does not read all output.
            child.stdin.on('error', () => {});
            child.stdin.end(input);
          });
        const bytes = randomBytes(MIB);
        const [back, failed] = await Promise.all([
          run(['cat'], bytes),
          run(['sh', '-c', 'echo out; echo err >&2; exit 7']),
        ]);
        expect({ code: back.code, err: back.err }).toEqual({ code: 0, err: '' });
        expect(back.out.equals(bytes)).toBe(true);
        expect({ code: failed.code, out: failed.out.toString() }).toEqual({ code: 7, out: 'out\n' });
        expect(failed.err).toMatch(/^err$/m);
      },
    );

    it.each([
      { of: 'actor', how: ['crash', 'kubelet-server'] },
      { of: 'thread', how: ['thread', 'server', 'exit'] },
    ])(
      'loses fifty commands and fifty logs at once, each with an error, when the $of of its server ends, and nothing else',
      async ({ how }) => {
        const { server, tls } = apiAccess(dev.kubeconfig);
        const app = `${server}/api/v1/namespaces/default/pods/app`;
        const pods = [
          'get',
          'pods',
          '-A',
          '-o',
          'custom-columns=:.metadata.uid,:.status.containerStatuses[*].containerID',
        ];
        const before = await kubectl.ok(...pods);
        // The runtime is in this process: each open stream is a socket of this process.
        const sockets = (): number =>
          process.getActiveResourcesInfo().filter((each) => each === 'TCPSocketWrap').length;
        const idle = sockets();
        const exec = async (): Promise<Lost> => {
          const socket = new WebSocket(`${app}/exec?command=cat&stdin=1&stdout=1`, ['v5.channel.k8s.io'], tls);
          socket.on('error', () => {});
          await once(socket, 'open');
          // 1000 and 1001 would be a normal end.
          return { lost: new Promise((resolve) => socket.once('close', (code) => resolve(code === 1006))) };
        };
        const follow = async (): Promise<Lost> => {
          const asked = request(`${app}/log?follow=true`, { ...tls, agent: false }).on('error', () => {});
          asked.end();
          const [answer] = (await once(asked, 'response')) as [IncomingMessage];
          answer.on('error', () => {}).resume();
          return { lost: new Promise((resolve) => answer.once('close', () => resolve(!answer.complete))) };
        };
        const fifty = { length: 50 };
        const opened = await Promise.all([...Array.from(fifty, exec), ...Array.from(fifty, follow)]);
        expect(sockets()).toBeGreaterThanOrEqual(idle + 50);
        const began = performance.now();
        await hivelet(dev, 'debug', ...how);
        expect(await Promise.all(opened.map(({ lost }) => lost))).toEqual(opened.map(() => true));
        process.stdout.write(`all streams ended ${Math.round(performance.now() - began)} ms after the order\n`);
        await waitUntil(async () => sockets() <= idle, { what: 'the runtime has no stream any more', withinMs: 5_000 });
        await untilNodeServes(kubectl);
        expect(await kubectl.ok('exec', 'app', '--', 'echo', 'still here')).toBe('still here');
        expect(await kubectl.ok(...pods)).toBe(before);
      },
    );

    it.skipIf(skipWithoutPromtool('metrics as Prometheus reads them'))(
      "shows metrics that Prometheus' own parser accepts, each sample once",
      async () => {
        const [node = ''] = (await kubectl.ok('get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
        for (const path of ['/metrics', '/metrics/resource', '/metrics/cadvisor', '/metrics/probes', '/metrics/slis']) {
          const text = `${await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy${path}`)}\n`;
          expect(checkMetricText(text)).toBeInstanceOf(Map);
          const { read, advice } = await checkMetrics(text);
          expect({ path, read }).toEqual({ path, read: true });
          // The kubelet's names are as they are; ours are as they should be.
          expect(advice.filter((line) => line.startsWith('hivelet_'))).toEqual([]);
        }
        const own = await kubectl.ok('get', '--raw', `/api/v1/nodes/${node}/proxy/metrics`);
        expect(own).toMatch(/^kubelet_started_pods_total 2$/m);
        expect(own).toMatch(/^kubelet_running_pods 2$/m);
        expect(own).toMatch(/^kubelet_pod_start_total_duration_seconds_count 1$/m);
      },
    );

    it('forwards a port that the pod declares', async () => {
      const child = kubectl.start('port-forward', 'pod/app', ':8080');
      started.push(child);
      if (!child.stdout) throw new Error('its output is not read');
      const first = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
      const port = /127\.0\.0\.1:(\d+) ->/.exec(String(first.value))?.[1];
      const page = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/`)).text();
      expect(await page()).toMatch(/^pod default\/app, port 8080/);
      expect(await page()).toMatch(/^pod default\/app, port 8080/);
    });

    it('runs a pod until its input ends, and exits with its code', async () => {
      const shell = 'exec "$KUBECTL" run typed -it --rm --restart=Never --image=registry.test/app:1 -- sh';
      const env = { PATH: process.env['PATH'], HOME: kubectl.folder, KUBECONFIG: dev.kubeconfig, KUBECTL: program };
      const { child, type, shows, ended } = typedTerminal(`stty rows 33 cols 101; ${shell}`, env);
      started.push(child);
      // An older kubectl drops output that arrives before its own streams exist (kubernetes/kubernetes#131189). A prompt
      // that is asked for comes later, as kubectl's own line advises.
      await shows(/try pressing enter/);
      type('\n');
      await shows(/# /);
      type('stty size; exit 5\n');
      await shows(/33 101/);
      expect(await ended).toBe(5);
    });
  });
});
