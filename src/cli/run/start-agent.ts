import { CRI_GATEWAY } from '../../../actors/cri-gateway/protocol.ts';
import { syncLoopProblem } from '../../../actors/health-monitor/client.ts';
import { podManagerClient } from '../../../actors/pod-manager/client.ts';
import { treeOf } from '../../../actors/tree.ts';
import { systemClock } from '../../actor/clock.ts';
import { threadMeter } from '../../actor/insight/thread-meter.ts';
import type { AdminBackend, RuntimeInfo } from '../admin/admin-backend.ts';
import { startTree, type MainLog, type OverMemoryLimit, type RunningTree } from '../../agent/agent.ts';
import { addressNamed, agentFaults, messageTypesOf } from '../../agent/faults.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import { treeFor } from '../../agent/kinds-on-thread.ts';
import type { FaultRegistry } from '../../faults/fault-registry.ts';

export interface RunningAgent {
  readonly admin: AdminBackend;
  /** Resolves with the reason when the agent cannot continue. */
  readonly failed: Promise<string>;
  /** Makes every thread store its compiled code, one after the other. */
  keepCompiled(): Promise<void>;
  /** Returns why the agent does not do its work; `undefined` when it does. Rejects when a part does not answer. */
  healthProblem(): Promise<string | undefined>;
  /** Stops actors in order. `stop`: the pods stop first, with their grace periods. `keep`: the pods keep running. */
  stop(options: { readonly pods: 'keep' | 'stop' }): Promise<void>;
  /** Ends all threads at once. Stays pending while a thread waits for the kernel. */
  endThreads(): Promise<void>;
}

const ASK_WITHIN = { deadlineMs: 10_000 };

/** Starts the whole agent in this process. Rejects when a thread dies before everything runs. */
export async function startAgent(
  settings: AgentSettings,
  log: MainLog,
  overMemoryLimit?: OverMemoryLimit,
): Promise<RunningAgent> {
  const running = await startTree(treeFor(settings, treeOf), { settings, log, overMemoryLimit });
  return {
    admin: adminBackend(running, log),
    failed: running.failed,
    keepCompiled: () => running.keepCompiled(),
    endThreads: () => running.endThreads(),
    healthProblem: syncLoopProblem(running.host),
    async stop({ pods }) {
      if (pods === 'stop') await podManagerClient(running.host).removeAllPods();
      await running.stop();
    },
  };
}

function adminBackend(running: RunningTree, log: MainLog): AdminBackend {
  const { tree, host, supervisor } = running;
  const pods = podManagerClient(host);
  const gateway = host.ref(CRI_GATEWAY);
  const mainFigures = threadMeter(host);
  let registry: Promise<FaultRegistry> | undefined;
  /** The registry loads the code of all actors, so it is made when the first plan is applied. */
  const faults = (): Promise<FaultRegistry> =>
    (registry ??= messageTypesOf(tree).then((messageTypes) =>
      agentFaults({ tree, messageTypes, host, supervisor, clock: systemClock, log, pods: () => pods.desired() }),
    ));
  return {
    pods: () => pods.all(),
    threads: async () => [mainFigures(), ...(await supervisor.figures())],
    metrics: () => running.metrics(),
    async runtime(): Promise<RuntimeInfo> {
      const health = await gateway.ask({ type: 'runtime-health' }, ASK_WITHIN);
      if (health.state !== 'up') return { name: '', version: '', state: health.state };
      return { name: health.runtime.name, version: health.runtime.version, state: health.state };
    },
    async trace(namespace, name) {
      const desired = await pods.desired();
      const pod = desired.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
      return pod && { podUid: pod.metadata.uid, steps: await supervisor.trace(pod.metadata.uid) };
    },
    applyFaults: async (plan) => (await faults()).apply(plan),
    listFaults: async () => (await faults()).list(),
    clearFaults: async (id) => (await faults()).clear(id),
    async crashActor(name) {
      const address = addressNamed(name, name.split('/').length > 2 ? await pods.desired() : []);
      return address !== undefined && (await supervisor.crashActor(address, 'made to crash on purpose'));
    },
    async provokeThread(name, how) {
      const thread = supervisor.thread(name);
      if (thread === undefined) return false;
      // A thread that fails does not answer any more.
      await thread.call((control) => control.provoke(how)).catch(() => {});
      return true;
    },
  };
}
