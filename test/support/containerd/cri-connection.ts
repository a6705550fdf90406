import { Client, Metadata, credentials } from '@grpc/grpc-js';

/** The client's half of a unary method in the generated service definitions. */
export interface UnaryMethod<Request, Response> {
  readonly path: string;
  readonly requestStream: false;
  readonly responseStream: false;
  readonly requestSerialize: (request: Request) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

export interface CriConnection {
  /** One call; rejects with grpc's ServiceError. The deadline is 30 s unless given. */
  call<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: NoInfer<Request>,
    options?: { readonly deadlineMs?: number },
  ): Promise<Response>;
  close(): void;
}

/**
 * A plain CRI client for tests: no retries, no lanes, nothing shared with the agent's own, so that it observes the
 * agent independently.
 */
export function connectCri(socketPath: string): CriConnection {
  const client = new Client(`unix:${socketPath}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': 64 * 1024 * 1024,
    // The runtime is local and may be restarted by the test: come back quickly instead of after seconds.
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 200,
    'grpc.enable_retries': 0,
    // grpc-js shares channels between clients of one target, and with them the back-off after an earlier failure.
    'grpc.use_local_subchannel_pool': 1,
  });
  return {
    call: (method, request, { deadlineMs = 30_000 } = {}) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          request,
          // A runtime that is just coming up is waited for, within the deadline.
          new Metadata({ waitForReady: true }),
          // grpc wants the instant on the wall clock.
          { deadline: performance.timeOrigin + performance.now() + deadlineMs },
          (error, response) => {
            if (error) reject(error);
            else if (response === undefined) reject(new Error(`${method.path} answered nothing`));
            else resolve(response);
          },
        );
      }),
    close: () => client.close(),
  };
}
