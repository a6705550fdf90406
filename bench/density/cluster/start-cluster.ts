import { join } from 'node:path';
import { startChild, type Child } from '../child.ts';
import type { ClusterAnswers, ClusterQuestion, ClusterReady, ClusterSettings } from './cluster-protocol.ts';

export interface RunningCluster extends Child {
  readonly nodeKubeconfig: string;
  question<T extends ClusterQuestion>(question: T): Promise<ClusterAnswers[T['type']]>;
}

const SCRIPT = join(import.meta.dirname, 'cluster-process.ts');

/** Starts it as a process of its own: an API server never shares one with the agent. */
export async function startCluster(settings: ClusterSettings): Promise<RunningCluster> {
  const child = startChild({
    name: 'the cluster',
    args: [SCRIPT, JSON.stringify(settings)],
    logFile: join(settings.folder, 'cluster.log'),
  });
  const ready = (await child.message) as ClusterReady;
  return {
    ...child,
    nodeKubeconfig: ready.nodeKubeconfig,
    // Each answer has the type of its question.
    question: (question) => child.ask(question) as Promise<never>,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
