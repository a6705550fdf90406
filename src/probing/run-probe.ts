import type { Clock } from '../actor/clock.ts';
import type { CriClient } from '../cri/client.ts';
import { assertNever } from '../kube/text/assert-never.ts';
import type { ContainerId } from '../kube/ids.ts';
import { execProbe } from './exec-probe.ts';
import type { ProbeOutcome } from './probe-outcome.ts';
import type { HandlerTarget } from './probe-target.ts';
import { tcpConnect } from './tcp-connect.ts';

export interface ProbeRequest {
  readonly podUid: string;
  readonly containerId: ContainerId;
  readonly target: HandlerTarget;
  readonly timeoutSeconds: number;
}

/** Makes one attempt. Never rejects. */
export type RunProbe = (request: ProbeRequest) => Promise<ProbeOutcome>;

export interface ProbeDeps {
  readonly cri: CriClient;
  readonly clock: Clock;
  /** With the minor version, as in `kube-probe/1.36`. */
  readonly userAgent: string;
}

export function proberOf({ cri, clock, userAgent }: ProbeDeps): RunProbe {
  return async ({ podUid, containerId, target, timeoutSeconds }) => {
    const timeoutMs = timeoutSeconds * 1_000;
    switch (target.type) {
      case 'exec':
        return execProbe({ cri, clock }, { podUid, containerId, target, timeoutSeconds });
      case 'http': {
        // HTTP probes load all of Node's HTTP, which costs some megabytes a thread.
        const { httpProbe } = await import('./http-probe.ts');
        return httpProbe(target, { timeoutMs, clock, userAgent });
      }
      case 'tcp':
        return tcpConnect(target, timeoutMs, clock);
      case 'grpc': {
        // The gRPC library weighs more than everything else here.
        const { grpcProbe } = await import('./grpc-probe.ts');
        return grpcProbe(target, { timeoutSeconds, userAgent, clock });
      }
      case 'sleep':
        return { result: 'error', output: 'a probe cannot sleep' };
      case 'invalid':
        return { result: 'error', output: target.message };
      default:
        return assertNever(target, 'handler target');
    }
  };
}
