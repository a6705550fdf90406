/** gRPC's own code names, in the order of their numbers from 1 on. */
const grpcCodes = [
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

/**
 * Why the runtime did not do what was asked: gRPC's own code names, `INTERRUPTED` where the agent lost its own call, and
 * `NOT_MADE` where it never handed it to the runtime, which had no room for it in time: nothing has come of it.
 */
export const criFaultCodes = [...grpcCodes, 'INTERRUPTED', 'NOT_MADE'] as const;
export type CriFaultCode = (typeof criFaultCodes)[number];

export interface CriFault {
  readonly code: CriFaultCode;
  /** The runtime's own words, without the client library's decoration. */
  readonly detail: string;
}

export type CriOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: CriFault };

/** gRPC status number → name. Unknown numbers count as `UNKNOWN`, as gRPC asks for. */
export const criFaultCode = (status: number | undefined): CriFaultCode => grpcCodes[(status ?? 2) - 1] ?? 'UNKNOWN';

/** Whether the call may have had its effect although it failed: nobody knows until the runtime is looked at again. */
export const isInDoubt = (fault: CriFault): boolean =>
  fault.code === 'INTERRUPTED' ||
  fault.code === 'DEADLINE_EXCEEDED' ||
  fault.code === 'CANCELLED' ||
  fault.code === 'UNAVAILABLE';

/**
 * Whether the runtime says that an earlier call for the same name is still under way. CRI runtimes reserve a sandbox's or
 * container's name while they make it, and answer a second request for it with this text.
 */
export const isNameReserved = ({ detail }: CriFault): boolean =>
  detail.split('\n').some((line) => {
    const name = line.indexOf('name ');
    return name >= 0 && line.includes(' is reserved for', name + 'name '.length);
  });

/** A fault as gRPC libraries write it into messages that users see: `rpc error: code = Unknown desc = …`. */
export function rpcErrorText({ code, detail }: CriFault): string {
  if (code === 'INTERRUPTED' || code === 'NOT_MADE') return detail;
  if (code === 'CANCELLED') return `rpc error: code = Canceled desc = ${detail}`;
  const words = code.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase());
  return `rpc error: code = ${words.join('')} desc = ${detail}`;
}
