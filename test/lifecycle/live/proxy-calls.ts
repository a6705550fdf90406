import { Client, credentials, Server, ServerCredentials, status } from '@grpc/grpc-js';
import type { handleUnaryCall, ServiceError } from '@grpc/grpc-js';
import { ImageServiceService, RuntimeServiceService } from '../../../src/cri/gen/api.ts';
import type { CriMethodName } from '../../../src/cri/methods.ts';
import type { CallRecorder } from '../record-calls.ts';

const asIs = (bytes: Buffer): Buffer => bytes;

/** Passes a request on, perhaps a changed one. Rejects with the runtime's error. */
export type PassOn = (request: Uint8Array) => Promise<Buffer>;

export interface ProxiedCall {
  readonly method: CriMethodName;
  readonly request: Uint8Array;
  /** Aborted when the caller goes away. */
  onCut(listener: () => void): void;
}

/** An error of a runtime. */
export class RefusedCall extends Error {
  readonly code: status;

  constructor(message: string, code = status.UNKNOWN) {
    super(message);
    this.code = code;
  }
}

/**
 * A proxy between an agent and its runtime on a separate socket; each call goes through `answer`. There is no stream of
 * events, as with the recorded runtimes.
 */
export async function proxyCalls(
  sockets: { readonly listen: string; readonly runtime: string },
  answer: (call: ProxiedCall, passOn: PassOn) => Promise<Uint8Array>,
): Promise<{ close(): void }> {
  const runtime = new Client(`unix:${sockets.runtime}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': 64 * 1024 * 1024,
    'grpc.use_local_subchannel_pool': 1,
  });
  const server = new Server({ 'grpc.max_receive_message_length': 64 * 1024 * 1024 });
  for (const service of [RuntimeServiceService, ImageServiceService]) {
    const methods = Object.values(service).filter((method) => !method.responseStream);
    const raw = methods.map(({ path }) => ({
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    }));
    const handlers = raw.map(({ path }): [string, handleUnaryCall<Buffer, Buffer>] => [
      path,
      (call, respond) => {
        const cuts: (() => void)[] = [];
        call.on('cancelled', () => cuts.forEach((cut) => cut()));
        const passOn: PassOn = (request) =>
          new Promise((resolve, reject) => {
            const done = (error: ServiceError | null, response?: Buffer): void =>
              error === null && response !== undefined ? resolve(response) : reject(error ?? new Error('no response'));
            const passed = runtime.makeUnaryRequest(path, asIs, asIs, Buffer.from(request), done);
            cuts.push(() => passed.cancel());
          });
        const method = path.slice(path.lastIndexOf('/') + 1) as CriMethodName;
        answer({ method, request: call.request, onCut: (listener) => void cuts.push(listener) }, passOn).then(
          (response) => respond(null, Buffer.from(response)),
          (error: Partial<ServiceError>) =>
            respond({ code: error.code ?? status.INTERNAL, details: error.details ?? error.message ?? '' }),
        );
      },
    ]);
    server.addService(Object.fromEntries(raw.map((method) => [method.path, method])), Object.fromEntries(handlers));
  }
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${sockets.listen}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  return {
    close() {
      server.forceShutdown();
      runtime.close();
    },
  };
}

/** Records a call of the agent while it is answered. A call that is cut has no end of its own. */
export async function recorded(
  call: ProxiedCall,
  recorder: CallRecorder<ProxiedCall>,
  { answer, countsAsMade = () => false }: RecordedAnswer,
): Promise<Uint8Array> {
  recorder.began(call);
  let isCut = false;
  call.onCut(() => {
    isCut = true;
    recorder.cut(call);
  });
  try {
    const response = await answer();
    if (!isCut) recorder.ended(call, { ok: true });
    return response;
  } catch (error) {
    if (!isCut) recorder.ended(call, { ok: countsAsMade(error) });
    throw error;
  }
}

export interface RecordedAnswer {
  readonly answer: () => Promise<Uint8Array>;
  /** `true` for an error that the recorded runtime does not make. */
  readonly countsAsMade?: (error: unknown) => boolean;
}
