/** What does a probe cost its thread: scheduling alone, and with a connection over loopback? */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ProbeManager } from '../actors/probe-manager/actor.ts';
import { probeMetrics } from '../actors/probe-manager/metrics.ts';
import { MetricFamilies } from '../src/metrics/metric-families.ts';
import type { ProbedPod, ProbeManagerProtocol } from '../actors/probe-manager/protocol.ts';
import { actorKind } from '../src/actor/actor.ts';
import { defaultRestartRule } from '../src/actor/supervision/child.ts';
import { systemClock } from '../src/actor/clock.ts';
import { systemRandom } from '../src/actor/random.ts';
import { ThreadHost } from '../src/actor/thread-host.ts';
import { containerId, podUid } from '../src/kube/ids.ts';
import type { HandlerTarget } from '../src/probing/probe-target.ts';
import { proberOf, type RunProbe } from '../src/probing/run-probe.ts';
import { asTable, type Figure } from './actors/figure.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    probes: { type: 'string', default: '10000' },
    period: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '10' },
  },
});
const count = Number(values.probes);
const periodSeconds = Number(values.period);
const seconds = Number(values.seconds);

interface Measured {
  readonly runsPerSecond: number;
  readonly microsecondsPerRun: number;
  readonly coreShare: number;
}

/** A thread with nothing but a probe manager, which has as many probes as asked for. */
async function measure(
  probes: number,
  period: number,
  way: { target: HandlerTarget; runProbe: RunProbe },
): Promise<Measured> {
  let runs = 0;
  const kind = actorKind<ProbeManagerProtocol>({
    mailbox: { capacity: 100_000 },
    make: (context) =>
      new ProbeManager(context, {
        runProbe: (request) => {
          runs += 1;
          return way.runProbe(request);
        },
        results: { read: () => new Map(), write() {} },
        metrics: probeMetrics(new MetricFamilies()),
        recordEvent() {},
        podThreads: [],
      }),
  });
  const nobody = actorKind({ mailbox: { capacity: 100_000 }, make: () => ({ tell() {} }) });
  const host = new ThreadHost({
    thread: 'here',
    life: 1,
    kinds: { 'probe-manager': kind, 'pod-worker': nobody },
    placement: () => 'here',
    clock: systemClock,
    random: systemRandom,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    report() {},
    escalate() {},
  });
  const start = (address: string) =>
    host.startActor({ address, lifetime: 'transient', restart: defaultRestartRule, stopWithinMs: 1_000 });
  await start('probe-manager');
  for (let index = 0; index < probes; index += 1) {
    host.tell('probe-manager', { type: 'probe-pod', ...podWith(index, period, way.target) });
  }
  // The first period: every probe is made once, and code gets warm.
  await pass(Math.max(period, 2) * 1_000);
  const [cpu, begun, before] = [process.cpuUsage(), performance.now(), runs];
  await pass(seconds * 1_000);
  const used = process.cpuUsage(cpu);
  const tookMs = performance.now() - begun;
  const made = runs - before;
  await host.stopActor('probe-manager');
  const cpuMicroseconds = used.user + used.system;
  return {
    runsPerSecond: (made / tookMs) * 1_000,
    microsecondsPerRun: cpuMicroseconds / made,
    coreShare: cpuMicroseconds / 10 / tookMs,
  };
}

const pass = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));

function podWith(index: number, period: number, target: HandlerTarget): ProbedPod {
  return {
    podUid: podUid(`uid-${index}`),
    name: `web-${index}`,
    namespace: 'default',
    containers: [
      {
        id: containerId(`container-${index}`),
        name: 'main',
        fieldPath: 'spec.containers{main}',
        // In the past, so the probes are spread over their period.
        startedAt: 1,
        verdicts: {},
        probes: [
          {
            kind: 'readiness',
            target,
            initialDelaySeconds: 0,
            periodSeconds: period,
            timeoutSeconds: 1,
            successThreshold: 1,
            failureThreshold: 3,
          },
        ],
      },
    ],
  };
}

const server = spawn(process.execPath, [new URL('./probes/answering-server.ts', import.meta.url).pathname], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
// The server writes just this.
const ports = JSON.parse(line) as Readonly<Record<'http' | 'tcp' | 'grpc', number>>;
const host = '127.0.0.1';
const prober = proberOf({
  cri: { call: () => Promise.resolve({ ok: false, fault: { code: 'UNIMPLEMENTED', detail: '' } }) },
  clock: systemClock,
  userAgent: 'kube-probe/1.36',
});
const instant: RunProbe = () => Promise.resolve({ result: 'success', output: '' });
const http = { type: 'http', scheme: 'http', host, port: ports.http, path: '/', headers: [] } as const;

const figures: Figure[] = [];
const add = (what: string, { runsPerSecond, microsecondsPerRun, coreShare }: Measured, target?: number): void => {
  figures.push({ what: `${what}: runs a second`, value: runsPerSecond, unit: '' });
  figures.push({ what: `${what}: CPU a run`, value: microsecondsPerRun, unit: 'µs' });
  figures.push({
    what: `${what}: of a core`,
    value: coreShare,
    unit: '%',
    ...(target === undefined ? {} : { target }),
  });
};
try {
  const keeping = { target: http, runProbe: instant };
  add(`${count} probes every ${periodSeconds} s, kept alone`, await measure(count, periodSeconds, keeping), 25);
  add('5000 probes every 10 s, kept alone', await measure(5_000, 10, keeping));
  add(
    '5000 probes every 10 s, TCP',
    await measure(5_000, 10, { target: { type: 'tcp', host, port: ports.tcp }, runProbe: prober }),
  );
  add('5000 probes every 10 s, HTTP', await measure(5_000, 10, { target: http, runProbe: prober }));
  const grpc = { type: 'grpc', host, port: ports.grpc, service: '' } as const;
  add('500 probes every 10 s, gRPC', await measure(500, 10, { target: grpc, runProbe: prober }));
} finally {
  server.kill();
}
process.stdout.write(values.json === true ? `${JSON.stringify({ bench: 'probes', figures })}\n` : asTable(figures));
