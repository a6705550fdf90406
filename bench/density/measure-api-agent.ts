import { mkdirSync } from 'node:fs';
import { AdminClient } from '../../src/cli/admin/admin-client.ts';
import { adminSocketPath } from '../../src/cli/admin/admin-socket.ts';
import { allSettled } from '../../src/cli/dev/pod-readiness.ts';
import { portOrFree } from '../../src/cli/dev/port-or-free.ts';
import { startAgent, threadUses, type AgentRun } from './agent-child.ts';
import type { Child } from './child.ts';
import type { WriteCounts } from './cluster/cluster-protocol.ts';
import type { AgentFigures, ApiFigures, RestartFigures } from './figures.ts';
import { NODE_NAME, runPlace, type RunPlace } from './node-setup.ts';
import { percentile } from './percentile.ts';
import { cpuSince, cpuTimeOf, rssMiBOf, totalMs } from './process-figures.ts';
import { rest, within } from './rest.ts';
import { startCluster, type RunningCluster } from './cluster/start-cluster.ts';
import { startLatencies } from './start-latencies.ts';
import { startRuntime } from './start-runtime.ts';
import { watchStartedContainers } from './started-containers.ts';
import { TemporaryFolder } from './temporary-folder.ts';

export interface ApiRun extends AgentRun {
  /** The kubeconfig of a running API server. `undefined` for an embedded one, in a process of its own. */
  readonly kubeconfig: string | undefined;
  /** The agent's setting `contentType`. `undefined` for its default. */
  readonly contentType: string | undefined;
}

const REST_BEFORE_MS = 3_000;
const REST_AFTER_MS = 5_000;
/** Until what a burst of work leaves to be tidied up has been. */
const REST_BEFORE_IDLE_MS = 15_000;
/** A pod's last events are written a moment after it is Ready; they are its writes too. */
const AFTER_RESTART_MS = 15_000;

/** Raised API limits, as for the figures that targets are compared with. */
const limits = { kubeAPIQPS: 5_000, kubeAPIBurst: 10_000, eventRecordQPS: 5_000, eventBurst: 10_000 };

/**
 * The same as from a folder, with pods that an API server binds to the node; and their end, and a restart in between.
 */
export async function measureApiAgent(run: ApiRun): Promise<AgentFigures> {
  using folder = new TemporaryFolder();
  const place = runPlace(folder.path);
  mkdirSync(place.manifests);
  await using runtime = await startRuntime(run.script, place);
  await using cluster = await startCluster({ nodeName: NODE_NAME, folder: place.folder, kubeconfig: run.kubeconfig });
  using started = watchStartedContainers(place.runtimeSocket);
  await using session = new ApiSession(run, { place, cluster, runtime });
  const startAt = performance.now();
  const first = await measureStart(session, { startAt, startedAt: started.startedAt });
  const end = await measureEnd(session);
  const again = cluster.question({ type: 'run-pods', pods: run.pods });
  await session.during('all pods are Ready again', again);
  await session.during('it comes to rest', rest(REST_AFTER_MS));
  const restart = await measureRestart(session);
  return { ...first.figures, api: { ...first.writes, ...end, restart } };
}

/** The running agent, and the processes measured beside it. */
class ApiSession implements AsyncDisposable {
  readonly run: ApiRun;
  readonly cluster: RunningCluster;
  readonly #place: RunPlace;
  readonly #runtime: Child;
  readonly admin: AdminClient;
  agent: Child | undefined;

  constructor(
    run: ApiRun,
    {
      place,
      cluster,
      runtime,
    }: { readonly place: RunPlace; readonly cluster: RunningCluster; readonly runtime: Child },
  ) {
    this.run = run;
    this.cluster = cluster;
    this.#place = place;
    this.#runtime = runtime;
    this.admin = new AdminClient(adminSocketPath(place.rootDir));
  }

  async start(): Promise<Child> {
    const { contentType } = this.run;
    const encoding = contentType === undefined ? {} : { contentType };
    const config = { ...limits, ...encoding, port: await portOrFree(10_250), healthzPort: 0 };
    this.agent = startAgent(this.run, this.#place, { kubeconfig: this.cluster.nodeKubeconfig, config });
    return this.agent;
  }

  async stop(): Promise<void> {
    await this.agent?.[Symbol.asyncDispose]();
    this.agent = undefined;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Rejects when a process has ended, or at the user's wish; what runs is stopped then. */
  async during<T>(what: string, work: Promise<T>): Promise<T> {
    const { alive } = this.agent ?? {};
    try {
      const ends = [this.cluster.alive, this.#runtime.alive, this.run.interrupted, ...(alive ? [alive] : [])];
      return await Promise.race([within(this.run.timeoutMs, { what, work }), ...ends]);
    } catch (error) {
      const log = this.agent?.logTail() ?? '';
      await this.stop();
      throw new Error(
        `${error instanceof Error ? error.message : String(error)}\nthe end of the agent’s log:\n${log}`,
        {
          cause: error,
        },
      );
    }
  }

  get pid(): number {
    if (this.agent === undefined) throw new Error('no agent runs');
    return this.agent.pid;
  }

  async writes(): Promise<WriteCounts | undefined> {
    return (await this.cluster.question({ type: 'writes' })) ?? undefined;
  }
}

async function measureStart(
  session: ApiSession,
  { startAt, startedAt }: { readonly startAt: number; readonly startedAt: ReadonlyMap<string, number> },
): Promise<{
  readonly figures: AgentFigures;
  readonly writes: Pick<ApiFigures, 'statusesPerPod' | 'eventsPerPod' | 'otherWrites'>;
}> {
  const { run, cluster, admin } = session;
  const agent = await session.start();
  await session.during('the agent is ready', agent.message);
  const readyAt = performance.now();
  await session.during('the node is Ready', cluster.question({ type: 'node-ready' }));
  await rest(REST_BEFORE_MS);
  const rssEmptyMiB = rssMiBOf(session.pid);
  const threadsBefore = await admin.threads();
  const writesBefore = await session.writes();
  const cpuBefore = cpuTimeOf(session.pid);
  const wallMs = await session.during('all pods are Ready', cluster.question({ type: 'run-pods', pods: run.pods }));
  const cpu = cpuSince(cpuBefore, cpuTimeOf(session.pid));
  const threadsAfter = await admin.threads();
  await rest(REST_AFTER_MS);
  const rssMiB = rssMiBOf(session.pid);
  const writes = writesSince(writesBefore, await session.writes());
  const threadsAtRest = await admin.threads();
  await session.during('it comes to rest', rest(REST_BEFORE_IDLE_MS));
  const idle = { cpu: cpuTimeOf(session.pid), at: performance.now() };
  await session.during('a while passes', rest(run.idleMs));
  const idleCpuMs = totalMs(cpuSince(idle.cpu, cpuTimeOf(session.pid)));
  const idleCpuPercent = (idleCpuMs / (performance.now() - idle.at)) * 100;

  const latencies = startLatencies(await admin.pods(), startedAt);
  const threads = threadUses(threadsBefore, threadsAfter, threadsAtRest);
  const figures = {
    pods: run.pods,
    wallMs,
    wallFromStartMs: readyAt - startAt + wallMs,
    cpuMsPerPod: totalMs(cpu) / run.pods,
    kernelCpuMsPerPod: cpu.systemMs / run.pods,
    cpuMsPerPodFromStart: (totalMs(cpuBefore) + totalMs(cpu)) / run.pods,
    rssEmptyMiB,
    rssMiB,
    startP50Ms: percentile(latencies, 50),
    startP99Ms: percentile(latencies, 99),
    arrivalP50Ms: percentile(latencies, 50),
    arrivalP99Ms: percentile(latencies, 99),
    idleCpuPercent,
    threads,
    otherThreadsCpuMs: totalMs(cpu) - threads.reduce((sum, thread) => sum + thread.cpuMs, 0),
  };
  const perPod = (count: number | undefined) => (count === undefined ? undefined : count / run.pods);
  return {
    figures,
    writes: {
      statusesPerPod: perPod(writes?.statuses),
      eventsPerPod: perPod(writes?.events),
      otherWrites: writes?.otherWrites,
    },
  };
}

/** The agent ends and another takes its place; the pods run on and must not notice. */
async function measureRestart(session: ApiSession): Promise<RestartFigures> {
  const { cluster, admin, run } = session;
  await session.stop();
  await cluster.question({ type: 'unready' });
  const before = await session.writes();
  const began = performance.now();
  const agent = await session.start();
  await session.during('the agent is ready again', agent.message);
  const agentReadyMs = performance.now() - began;
  while (!allSettled(await admin.pods(), run.pods)) await session.during('pods are known again', rest(100));
  const podsReadyMs = performance.now() - began;
  await session.during('a while passes', rest(AFTER_RESTART_MS));
  const writes = writesSince(before, await session.writes());
  return {
    agentReadyMs,
    podsReadyMs,
    statusWrites: writes?.statuses,
    events: writes?.events,
    podsSeenUnready: await cluster.question({ type: 'unready' }),
    rssMiB: rssMiBOf(session.pid),
  };
}

async function measureEnd(
  session: ApiSession,
): Promise<Pick<ApiFigures, 'goneMs' | 'goneCpuMsPerPod' | 'goneWritesPerPod'>> {
  const { cluster, run } = session;
  const before = { cpu: cpuTimeOf(session.pid), writes: await session.writes() };
  const goneMs = await session.during('all pods are gone', cluster.question({ type: 'delete-pods' }));
  const cpu = cpuSince(before.cpu, cpuTimeOf(session.pid));
  const writes = writesSince(before.writes, await session.writes());
  return {
    goneMs,
    goneCpuMsPerPod: totalMs(cpu) / run.pods,
    goneWritesPerPod:
      writes === undefined ? undefined : (writes.statuses + writes.events + writes.podDeletes) / run.pods,
  };
}

function writesSince(before: WriteCounts | undefined, now: WriteCounts | undefined): WriteCounts | undefined {
  if (before === undefined || now === undefined) return undefined;
  return {
    statuses: now.statuses - before.statuses,
    events: now.events - before.events,
    podDeletes: now.podDeletes - before.podDeletes,
    nodeWrites: now.nodeWrites - before.nodeWrites,
    leaseWrites: now.leaseWrites - before.leaseWrites,
    otherWrites: now.otherWrites - before.otherWrites,
    reads: now.reads - before.reads,
  };
}
