import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/actor/clock.ts';
import { AdminClient } from '../../src/cli/admin/admin-client.ts';
import { adminSocketPath } from '../../src/cli/admin/admin-socket.ts';
import { allSettled, unreadyReasons } from '../../src/cli/dev/pod-readiness.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { startAgent, threadUses, type AgentRun } from './agent-child.ts';
import type { Child } from './child.ts';
import type { AgentFigures } from './figures.ts';
import { runPlace, type RunPlace } from './node-setup.ts';
import { percentile } from './percentile.ts';
import { manifestFile, podManifest } from './pod-manifest.ts';
import { cpuSince, cpuTimeOf, rssMiBOf, totalMs } from './process-figures.ts';
import { atMost, rest } from './rest.ts';
import { startLatencies } from './start-latencies.ts';
import { startRuntime } from './start-runtime.ts';
import { watchStartedContainers, type StartedContainers } from './started-containers.ts';
import { TemporaryFolder } from './temporary-folder.ts';

/** Not all pods were Ready in time; the message names the pods and the reasons. */
export class NotAllReady extends Error {}

const REST_BEFORE_MS = 3_000;
const REST_AFTER_MS = 5_000;
/** Until what a burst of work leaves to be tidied up has been. */
const REST_BEFORE_IDLE_MS = 15_000;

/**
 * Starts an agent on a fresh embedded runtime, gives it all pods at once, and measures it. Rejects with `NotAllReady`.
 */
export async function measureAgent(run: AgentRun): Promise<AgentFigures> {
  using folder = new TemporaryFolder();
  const place = runPlace(folder.path);
  const arriving = writeManifests(place, run.pods);
  await using runtime = await startRuntime(run.script, place);
  using started = watchStartedContainers(place.runtimeSocket);
  const startAt = performance.now();
  await using agent = startAgent(run, place, {});
  const alive = <T>(work: Promise<T>): Promise<T> => Promise.race([work, agent.alive, runtime.alive, run.interrupted]);
  await alive(agent.message);
  const readyAt = performance.now();
  const admin = new AdminClient(adminSocketPath(place.rootDir));

  await alive(rest(REST_BEFORE_MS));
  const rssEmptyMiB = rssMiBOf(agent.pid);
  const threadsBefore = await admin.threads();
  const cpuBefore = cpuTimeOf(agent.pid);
  const arrivedAt = systemClock.now();
  const began = performance.now();
  for (const path of arriving) renameSync(path, join(place.manifests, path.slice(path.lastIndexOf('/') + 1)));
  const pods = await alive(allReady(run, { admin, started, agent }));
  const wallMs = performance.now() - began;
  // The question after which all were known to be Ready is counted too: better too much than too little.
  const cpu = cpuSince(cpuBefore, cpuTimeOf(agent.pid));
  const threadsAfter = await admin.threads();

  await alive(rest(REST_AFTER_MS));
  const rssMiB = rssMiBOf(agent.pid);
  const threadsAtRest = await admin.threads();
  await alive(rest(REST_BEFORE_IDLE_MS));
  const idle = { cpu: cpuTimeOf(agent.pid), at: performance.now() };
  await alive(rest(run.idleMs));
  const idleCpuMs = totalMs(cpuSince(idle.cpu, cpuTimeOf(agent.pid)));
  const idleCpuPercent = (idleCpuMs / (performance.now() - idle.at)) * 100;

  const latencies = startLatencies(pods, started.startedAt);
  const arrivals = [...started.startedAt.values()].map((at) => at - arrivedAt);
  const threads = threadUses(threadsBefore, threadsAfter, threadsAtRest);
  return {
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
    arrivalP50Ms: percentile(arrivals, 50),
    arrivalP99Ms: percentile(arrivals, 99),
    idleCpuPercent,
    threads,
    otherThreadsCpuMs: totalMs(cpu) - threads.reduce((sum, thread) => sum + thread.cpuMs, 0),
  };
}

/** Writes the manifests beside the folder they will be moved to, so that each arrives whole. Returns their paths. */
function writeManifests({ folder, manifests }: RunPlace, pods: number): readonly string[] {
  const arriving = join(folder, 'arriving');
  for (const path of [manifests, arriving]) mkdirSync(path);
  return Array.from({ length: pods }, (_, n) => {
    const path = join(arriving, manifestFile(n));
    writeFileSync(path, podManifest(n));
    return path;
  });
}

interface Watched {
  readonly admin: AdminClient;
  readonly started: StartedContainers;
  readonly agent: Child;
}

/** Asks the agent for its pods only once the runtime has started as many containers: asking costs the agent CPU. */
async function allReady({ pods: count, timeoutMs }: AgentRun, watched: Watched): Promise<readonly Pod[]> {
  const deadline = performance.now() + timeoutMs;
  await atMost(timeoutMs, watched.started.atLeast(count));
  for (;;) {
    const asked = performance.now();
    const pods = await watched.admin.pods();
    if (allSettled(pods, count)) return pods;
    const now = performance.now();
    if (now > deadline) throw new NotAllReady(whyNot(pods, { count, timeoutMs, log: watched.agent.logTail() }));
    await rest(Math.max(20, 2 * (now - asked)));
  }
}

function whyNot(
  pods: readonly Pod[],
  { count, timeoutMs, log }: { readonly count: number; readonly timeoutMs: number; readonly log: string },
): string {
  const reasons = unreadyReasons(pods, count);
  const head = `not all of ${count} pods were Ready after ${timeoutMs / 1_000} s:`;
  const more = reasons.length > 10 ? [`… and ${reasons.length - 10} more`] : [];
  return [head, ...reasons.slice(0, 10), ...more, 'the end of the agent’s log:', log].join('\n');
}
