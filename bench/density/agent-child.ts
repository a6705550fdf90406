import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ThreadFigures } from '../../src/actor/threads/thread-control.ts';
import { agentEnvironment } from '../../src/agent/environment.ts';
import { isAgentNotice } from '../../src/agent/process-exit.ts';
import { startChild, type Child } from './child.ts';
import type { ThreadUse } from './figures.ts';
import { configurationOf, NODE_NAME, type RunPlace } from './node-setup.ts';

export interface AgentRun {
  readonly script: string;
  readonly pods: number;
  readonly profile: string;
  readonly timeoutMs: number;
  readonly idleMs: number;
  /** Node's own options for the agent, such as those of its profilers. */
  readonly nodeOptions: readonly string[];
  /** Rejects when the user stops the benchmark, after its processes have ended. */
  readonly interrupted: Promise<never>;
}

export interface AgentOnNode {
  /** `undefined` when there is no API server. */
  readonly kubeconfig?: string;
  /** Further configuration. */
  readonly config?: object;
  /** `yes`: under the launcher, and with leave to be made to fail. Default: `no`, so that the agent alone is measured. */
  readonly launcher?: 'yes' | 'no';
}

/** Starts the agent as a process of its own. A launcher sends no message when its agent is ready. */
export function startAgent({ script, pods, profile, nodeOptions }: AgentRun, place: RunPlace, on: AgentOnNode): Child {
  const config = join(place.folder, 'config.json');
  const header = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  writeFileSync(config, JSON.stringify({ ...header, ...configurationOf(place, pods), ...on.config }));
  const flags = [
    on.launcher === 'yes' ? '--enable-fault-injection' : '--no-launcher',
    '--profile',
    profile,
    '--config',
    config,
    '--root-dir',
    place.rootDir,
  ];
  if (on.kubeconfig !== undefined) flags.push('--kubeconfig', on.kubeconfig, '--cert-dir', join(place.rootDir, 'pki'));
  return startChild({
    name: 'the agent',
    args: [...nodeOptions, script, 'run', ...flags, '--hostname-override', NODE_NAME],
    logFile: join(place.folder, 'agent.log'),
    isReady: (notice) => isAgentNotice(notice) && notice.type === 'agent-ready',
    // Started as the launcher would do it.
    env: agentEnvironment(process.env),
  });
}

const MIB = 1024 * 1024;

export function threadUses(...[before, after, atRest]: readonly (readonly ThreadFigures[])[]): readonly ThreadUse[] {
  const find = (all: readonly ThreadFigures[] | undefined, name: string) => all?.find(({ thread }) => thread === name);
  return (after ?? []).map(({ thread, cpuMs }) => ({
    name: thread,
    cpuMs: cpuMs - (find(before, thread)?.cpuMs ?? 0),
    heapMiB: (find(atRest, thread)?.heapUsedBytes ?? 0) / MIB,
  }));
}
