import type { WallMs } from '../actor/clock.ts';
import { join } from 'node:path';
import type { AllowedRequest } from './allowed-request.ts';
import { runningContainerId } from './logs/find-container-log.ts';
import type { NodeView } from './node-view.ts';
import { errorReply, jsonReply, type Reply } from './reply.ts';

export interface CheckpointTools {
  readonly node: Pick<NodeView, 'pod' | 'cri'>;
  /**
   * The folder for checkpoints. `make` creates it, readable for its owner alone: checkpoints hold the memory of
   * containers.
   */
  readonly folder: { readonly path: string; make(): Promise<void> };
  /** Wall-clock milliseconds. */
  readonly now: WallMs;
}

/** Without a limit from the client the runtime may take very long; this bounds the call. */
const LONGEST_MS = 4 * 3_600_000;

/** Asks the runtime for a checkpoint of a running container (KEP-2008). */
export async function checkpointContainer(
  { parameters, query }: AllowedRequest,
  { node, folder, now }: CheckpointTools,
): Promise<Reply> {
  const { namespace = '', pod: name = '', container = '' } = Object.fromEntries(parameters);
  const pod = await node.pod(namespace, name);
  if (pod === undefined) return errorReply(404, `pod "${name}" does not exist`);
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const isNamed = [...containers, ...initContainers, ...ephemeralContainers].some((each) => each.name === container);
  if (!isNamed) return errorReply(404, `container ${container} does not exist`);
  const timeout = query.getAll('timeout').at(-1) ?? '0';
  if (!/^[+-]?\d{1,18}$/.test(timeout)) return errorReply(404, 'cannot parse value of timeout parameter');
  const containerId = runningContainerId(pod, container);
  if (containerId === undefined)
    return errorReply(500, `checkpointing of ${namespace}/${name}/${container} failed: it does not run`);
  await folder.make();
  const at = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const location = join(folder.path, `checkpoint-${name}_${namespace}-${container}-${at}.tar`);
  const seconds = BigInt(timeout);
  const outcome = await node.cri.call(
    'CheckpointContainer',
    { containerId, location, timeout: seconds },
    { timeoutMs: seconds > 0n ? Math.min(Number(seconds) * 1_000 + 5_000, LONGEST_MS) : LONGEST_MS },
  );
  if (outcome.ok) return jsonReply({ items: [location] });
  return errorReply(500, `checkpointing of ${namespace}/${name}/${container} failed (${outcome.fault.detail})`);
}
