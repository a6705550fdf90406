import { elapsedMs, type Clock } from '../actor/clock.ts';
import type { CriClient } from '../cri/client.ts';
import { rpcErrorText, type CriFaultCode } from '../cri/fault.ts';
import { formatGoDuration } from '../kube/text/go-duration.ts';
import type { ContainerId } from '../kube/ids.ts';
import { MAX_OUTPUT_BYTES, type ProbeOutcome } from './probe-outcome.ts';
import type { ExecTarget } from './probe-target.ts';

export interface ExecDeps {
  readonly cri: CriClient;
  readonly clock: Clock;
}

export interface ExecRequest {
  readonly podUid: string;
  readonly containerId: ContainerId;
  readonly target: ExecTarget;
  readonly timeoutSeconds: number;
}

/** How long after the probe's own timeout the runtime may still answer. After that the runtime counts as stuck. */
const RUNTIME_SLACK_MS = 10_000;

/** Faults of the runtime as a whole, or of the connection to it. */
const UNHEARD: ReadonlySet<CriFaultCode> = new Set([
  'UNAVAILABLE',
  'INTERRUPTED',
  'NOT_MADE',
  'RESOURCE_EXHAUSTED',
  'CANCELLED',
]);

/** Runs a command in the container. A failure of the runtime is not a failure of the container. */
export async function execProbe(
  { cri, clock }: ExecDeps,
  { podUid, containerId, target, timeoutSeconds }: ExecRequest,
): Promise<ProbeOutcome> {
  const began = clock.monotonic();
  const timeoutMs = timeoutSeconds * 1_000;
  const outcome = await cri.call(
    'ExecSync',
    { containerId, cmd: [...target.command], timeout: BigInt(timeoutSeconds) },
    { podUid, timeoutMs: timeoutMs + RUNTIME_SLACK_MS },
  );
  if (outcome.ok) {
    const { exitCode, stdout, stderr } = outcome.value;
    return { result: exitCode === 0 ? 'success' : 'failure', output: joined(stdout, stderr) };
  }
  const { code, detail } = outcome.fault;
  if (code === 'DEADLINE_EXCEEDED') {
    // The runtime enforces the probe's timeout itself. A runtime that does not answer at all must not get
    // containers killed.
    const isRuntimeStuck = elapsedMs(began, clock.monotonic()) >= timeoutMs + RUNTIME_SLACK_MS / 2;
    if (isRuntimeStuck) return { result: 'unheard', output: detail };
    const command = JSON.stringify(target.command.join(' '));
    const after = formatGoDuration(timeoutSeconds * 1_000);
    return { result: 'failure', output: `command timed out: ${command} timed out after ${after}` };
  }
  return {
    result: UNHEARD.has(code) ? 'unheard' : 'error',
    output: rpcErrorText(outcome.fault),
  };
}

/** Returns the command's output as text. */
export const joined = (stdout: Uint8Array, stderr: Uint8Array): string =>
  Buffer.concat([stdout, stderr]).subarray(0, MAX_OUTPUT_BYTES).toString('utf8');
