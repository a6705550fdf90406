import {
  type handleUnaryCall,
  Metadata,
  type sendUnaryData,
  Server,
  type ServerErrorResponse,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';
import {
  type ContainerEventResponse,
  type GetEventsRequest,
  ImageServiceService,
  RuntimeServiceService,
} from '../../../cri/gen/api.ts';
import type { Caller } from '../calls/caller.ts';
import type { RuntimeCore } from '../runtime-core.ts';
import { type GrpcCode, RuntimeError } from '../runtime-error.ts';
import type { StreamCalls } from '../streaming/stream-calls.ts';

/** Events that a listener may leave unread before its stream is closed: a stalled client must not cost memory. */
const UNREAD_EVENTS_LIMIT = 10_000;

const asIs = (encoded: Buffer): Buffer => encoded;

/** The CRI runtime service, with both lists answered in bytes that the core keeps. */
const RuntimeServiceInBytes = {
  ...RuntimeServiceService,
  listContainers: { ...RuntimeServiceService.listContainers, responseSerialize: asIs },
  listPodSandbox: { ...RuntimeServiceService.listPodSandbox, responseSerialize: asIs },
};

const STATUS_OF: Readonly<Record<GrpcCode, status>> = {
  Cancelled: status.CANCELLED,
  Unknown: status.UNKNOWN,
  InvalidArgument: status.INVALID_ARGUMENT,
  DeadlineExceeded: status.DEADLINE_EXCEEDED,
  NotFound: status.NOT_FOUND,
  AlreadyExists: status.ALREADY_EXISTS,
  PermissionDenied: status.PERMISSION_DENIED,
  ResourceExhausted: status.RESOURCE_EXHAUSTED,
  FailedPrecondition: status.FAILED_PRECONDITION,
  Aborted: status.ABORTED,
  Unimplemented: status.UNIMPLEMENTED,
  Internal: status.INTERNAL,
  Unavailable: status.UNAVAILABLE,
};

function toGrpcError(error: unknown): ServerErrorResponse {
  const { code, message, name } =
    error instanceof RuntimeError ? error : new RuntimeError('Internal', `a defect of this runtime: ${String(error)}`);
  return { name, message, details: message, code: STATUS_OF[code] };
}

interface CancellableCall {
  readonly cancelled: boolean;
  on(event: 'cancelled', listener: () => void): unknown;
}

const callerOf = (call: CancellableCall): Caller => ({
  whenGone(leave) {
    if (call.cancelled) leave();
    else call.on('cancelled', leave);
  },
});

async function reply<Response>(answer: Promise<Response>, send: sendUnaryData<Response>): Promise<void> {
  let response: Response;
  try {
    response = await answer;
  } catch (error) {
    return send(toGrpcError(error));
  }
  send(null, response);
}

/** Makes a handler that returns the result of `answer`, now or later, and turns its errors into a gRPC status. */
const unary =
  <Request, Response>(
    answer: (request: Request, caller: Caller) => Response | Promise<Response>,
  ): handleUnaryCall<Request, Response> =>
  (call, send) => {
    let answered: Response | Promise<Response>;
    try {
      answered = answer(call.request, callerOf(call));
    } catch (error) {
      return send(toGrpcError(error));
    }
    if (answered instanceof Promise) void reply(answered, send);
    else send(null, answered);
  };

function streamEvents(core: RuntimeCore, call: ServerWritableStream<GetEventsRequest, ContainerEventResponse>): void {
  try {
    const unsubscribe = core.getContainerEvents((event) => {
      if (call.writableLength < UNREAD_EVENTS_LIMIT) {
        call.write(event);
        return;
      }
      unsubscribe();
      call.emit('error', toGrpcError(new RuntimeError('ResourceExhausted', 'too many unread container events')));
    });
    for (const end of ['cancelled', 'close', 'error']) call.on(end, unsubscribe);
    // Tells the listener that it misses no event from here on.
    call.sendMetadata(new Metadata());
  } catch (error) {
    call.emit('error', toGrpcError(error));
  }
}

/**
 * A gRPC server with both CRI services, not yet bound to an address. Calls that are not listed here answer
 * Unimplemented.
 */
export function grpcServer(core: RuntimeCore, streams: StreamCalls): Server {
  const server = new Server({ 'grpc.max_receive_message_length': 16 * 1024 * 1024 });
  server.addService(RuntimeServiceInBytes, {
    version: unary(() => core.version()),
    status: unary(() => core.status()),
    runtimeConfig: unary(() => core.runtimeConfig()),
    updateRuntimeConfig: unary(() => core.updateRuntimeConfig()),
    runPodSandbox: unary(core.runPodSandbox.bind(core)),
    stopPodSandbox: unary(core.stopPodSandbox.bind(core)),
    removePodSandbox: unary(core.removePodSandbox.bind(core)),
    podSandboxStatus: unary(core.podSandboxStatus.bind(core)),
    listPodSandbox: unary(core.listPodSandboxEncoded.bind(core)),
    updatePodSandboxResources: unary(core.updatePodSandboxResources.bind(core)),
    createContainer: unary(core.createContainer.bind(core)),
    startContainer: unary(core.startContainer.bind(core)),
    stopContainer: unary(core.stopContainer.bind(core)),
    removeContainer: unary(core.removeContainer.bind(core)),
    listContainers: unary(core.listContainersEncoded.bind(core)),
    containerStatus: unary(core.containerStatus.bind(core)),
    updateContainerResources: unary(core.updateContainerResources.bind(core)),
    reopenContainerLog: unary(core.reopenContainerLog.bind(core)),
    execSync: unary(core.execSync.bind(core)),
    exec: unary(streams.exec.bind(streams)),
    attach: unary(streams.attach.bind(streams)),
    portForward: unary(streams.portForward.bind(streams)),
    containerStats: unary(core.containerStats.bind(core)),
    listContainerStats: unary(core.listContainerStats.bind(core)),
    podSandboxStats: unary(core.podSandboxStats.bind(core)),
    listPodSandboxStats: unary(core.listPodSandboxStats.bind(core)),
    getContainerEvents: (call: ServerWritableStream<GetEventsRequest, ContainerEventResponse>) =>
      streamEvents(core, call),
  });
  const { images } = core;
  server.addService(ImageServiceService, {
    listImages: unary(images.listImages.bind(images)),
    imageStatus: unary(images.imageStatus.bind(images)),
    pullImage: unary(images.pullImage.bind(images)),
    removeImage: unary(images.removeImage.bind(images)),
    imageFsInfo: unary(() => images.imageFsInfo()),
  });
  return server;
}
