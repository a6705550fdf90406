import { BinaryReader, BinaryWriter } from '../kube/text/protobuf-wire.ts';
import { Client, credentials, status, type ServiceError } from '@grpc/grpc-js';
import { rpcStatusText } from '../cri/fault.ts';
import { formatGoDuration } from '../kube/text/go-duration.ts';
import { later, type Clock } from '../actor/clock.ts';
import { hostPort } from './dial-error.ts';
import type { ProbeOutcome } from './probe-outcome.ts';
import type { GrpcTarget } from './probe-target.ts';

export interface GrpcOptions {
  readonly timeoutSeconds: number;
  readonly userAgent: string;
  readonly clock: Clock;
}

/** `ServingStatus` of grpc.health.v1. */
const STATUS_NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
const SERVING = 1;

/** Calls the health service of the gRPC health checking protocol, over a connection of its own, in plain text. */
export function grpcProbe(
  target: GrpcTarget,
  { timeoutSeconds, userAgent, clock }: GrpcOptions,
): Promise<ProbeOutcome> {
  const address = hostPort(target.host, target.port);
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.primary_user_agent': userAgent,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
    'grpc.enable_http_proxy': 0,
  });
  const deadline = later(clock.now(), timeoutSeconds * 1_000);
  return new Promise((resolve) => {
    const end = (outcome: ProbeOutcome): void => {
      client.close();
      resolve(outcome);
    };
    const fail = (output: string): void => end({ result: 'failure', output });
    client.waitForReady(deadline, (error) => {
      if (error) {
        const within = formatGoDuration(timeoutSeconds * 1_000);
        return fail(`timeout: failed to connect service "${address}" within ${within}: context deadline exceeded`);
      }
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        (service: string) => Buffer.from(encodeRequest(service)),
        decodeStatus,
        target.service,
        { deadline },
        (problem, serving) => {
          if (problem) return fail(problemText(problem, timeoutSeconds));
          if (serving === SERVING) return end({ result: 'success', output: 'service healthy' });
          const name = STATUS_NAMES[serving ?? 0] ?? String(serving);
          return fail(`service unhealthy (responded with "${name}")`);
        },
      );
    });
  });
}

/** The kubelet's texts (pkg/probe/grpc): alerts match them. */
function problemText(problem: ServiceError, timeoutSeconds: number): string {
  if (problem.code === status.UNIMPLEMENTED) {
    return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${problem.details}`;
  }
  if (problem.code === status.DEADLINE_EXCEEDED)
    return `timeout: health rpc did not complete within ${formatGoDuration(timeoutSeconds * 1_000)}`;
  return `error: health rpc probe failed: ${rpcStatusText(status[problem.code], problem.details)}`;
}

const encodeRequest = (service: string): Uint8Array =>
  service === '' ? new Uint8Array() : new BinaryWriter().uint32(10).string(service).finish();

function decodeStatus(bytes: Buffer): number {
  const reader = new BinaryReader(bytes);
  let serving = 0;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) serving = reader.int32();
    else reader.skip(wireType);
  }
  return serving;
}
