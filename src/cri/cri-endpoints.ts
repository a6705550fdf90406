import { criTarget, grpcTransport, type CriTransport } from './transport.ts';

/**
 * Connects the runtime service and the image service, which usually share one socket. With `imageServiceEndpoint`,
 * calls of the image service go there.
 */
export function criEndpoints(
  endpoints: { readonly runtime: string; readonly image: string },
  connect: (endpoint: string) => CriTransport = grpcTransport,
): CriTransport {
  const runtime = connect(endpoints.runtime);
  if (criTarget(endpoints.runtime) === criTarget(endpoints.image)) return runtime;
  const image = connect(endpoints.image);
  return {
    unary: (path, request, timeoutMs) =>
      (path.startsWith('/runtime.v1.ImageService/') ? image : runtime).unary(path, request, timeoutMs),
    containerEvents: (listener) => runtime.containerEvents(listener),
    close() {
      runtime.close();
      image.close();
    },
  };
}
