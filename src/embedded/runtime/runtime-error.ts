/** The gRPC status codes of this runtime, by gRPC's names and numbers. */
export const GRPC_CODES = {
  Cancelled: 1,
  Unknown: 2,
  InvalidArgument: 3,
  DeadlineExceeded: 4,
  NotFound: 5,
  AlreadyExists: 6,
  PermissionDenied: 7,
  ResourceExhausted: 8,
  FailedPrecondition: 9,
  Aborted: 10,
  Unimplemented: 12,
  Internal: 13,
  Unavailable: 14,
} as const;

export type GrpcCode = keyof typeof GRPC_CODES;

/** A failed call in the CRI's form: a gRPC code and a text. Any other error is a defect. */
export class RuntimeError extends Error {
  readonly code: GrpcCode;

  constructor(code: GrpcCode, text: string) {
    super(text);
    this.name = 'RuntimeError';
    this.code = code;
  }
}

export const notFound = (what: string, id: string): RuntimeError =>
  new RuntimeError('NotFound', `${what} "${id}": not found`);
