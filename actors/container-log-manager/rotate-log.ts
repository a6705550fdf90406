import type { WallMs } from '../../src/actor/clock.ts';
import { basename, dirname } from 'node:path';
import type { CriClient } from '../../src/cri/client.ts';
import { rpcErrorText, type CriFault } from '../../src/cri/fault.ts';
import { ContainerState } from '../../src/cri/gen/api.ts';
import { isEntryOf } from '../../src/host/pod-files.ts';
import type { LogDisk } from './log-disk.ts';
import { planRotation, rotatedName } from './plan-rotation.ts';
import type { LogOutcome } from './protocol.ts';

export interface RotationTools {
  readonly cri: CriClient;
  readonly disk: LogDisk;
  readonly maxFiles: number;
  readonly now: () => WallMs;
  /** `false` once the incarnation has ended: another incarnation may be rotating the same log. */
  readonly alive: () => boolean;
}

const BACKGROUND = { lane: 'background' } as const;

/**
 * Rotates the log of a running container that has grown too large, or has the runtime create a missing log. First the
 * runtime confirms the log's path and that the container runs: PLEG's record suffices for a check of sizes, not for a
 * rotation.
 */
export async function handleLog(
  tools: RotationTools,
  {
    containerId,
    path,
    why,
  }: { readonly containerId: string; readonly path: string; readonly why: 'large' | 'missing' },
): Promise<LogOutcome> {
  const { cri, disk } = tools;
  const status = await cri.call('ContainerStatus', { containerId, verbose: false }, BACKGROUND);
  if (!status.ok)
    return status.fault.code === 'NOT_FOUND'
      ? { type: 'skipped' }
      : failed('reading the container status', status.fault);
  const { state, logPath } = status.value.status ?? {};
  if (state !== ContainerState.CONTAINER_RUNNING || logPath !== path) return { type: 'skipped' };
  if (!isEntryOf(dirname(path), basename(path))) return { type: 'skipped' };
  if (why === 'missing') {
    // The log may have existed all along, in the middle of a rename.
    if (disk.sizeOf(path) !== undefined) return { type: 'skipped' };
    const reopened = await cri.call('ReopenContainerLog', { containerId }, BACKGROUND);
    return reopened.ok ? { type: 'reopened' } : failed('asking the runtime to create the log', reopened.fault);
  }
  try {
    return await rotate(tools, containerId, path);
  } catch (error) {
    // The pod is being removed, with its logs.
    if (isMissing(error)) return { type: 'skipped' };
    return { type: 'failed', problem: String(error) };
  }
}

const failed = (what: string, fault: CriFault): LogOutcome => ({
  type: 'failed',
  problem: `${what}: ${rpcErrorText(fault)}`,
});

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

async function rotate(
  { cri, disk, maxFiles, now, alive }: RotationTools,
  containerId: string,
  path: string,
): Promise<LogOutcome> {
  const [directory, log] = [dirname(path), basename(path)];
  const { remove, compress } = planRotation(await disk.list(directory), log, maxFiles);
  for (const name of remove) await disk.remove(directory, name);
  for (const name of compress) {
    if (!alive()) return { type: 'skipped' };
    await disk.compress(directory, name);
  }
  if (!alive()) return { type: 'skipped' };
  const rotated = rotatedName(log, now());
  if (!(await disk.rename(directory, log, rotated))) return { type: 'failed', problem: `${rotated} exists already` };
  // Until the runtime reopens the log, it writes to the renamed file: nothing is lost.
  const reopened = await cri.call('ReopenContainerLog', { containerId }, BACKGROUND);
  if (reopened.ok) return { type: 'rotated' };
  const undone = await disk.restore(directory, rotated, log);
  const what = undone ? 'reopening the log (rotation undone)' : 'reopening the log (rotated nevertheless)';
  return failed(what, reopened.fault);
}
