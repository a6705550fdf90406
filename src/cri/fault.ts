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
 * Why a call to the runtime failed: gRPC's own code names and two more. `INTERRUPTED`: the agent lost its own call.
 * `NOT_MADE`: the call was never sent, because no slot became free in time; it had no effect.
 */
export const criFaultCodes = [...grpcCodes, 'INTERRUPTED', 'NOT_MADE'] as const;
export type CriFaultCode = (typeof criFaultCodes)[number];

export interface CriFault {
  readonly code: CriFaultCode;
  /** The runtime's own message, without the client library's prefix. */
  readonly detail: string;
}

export type CriOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: CriFault };

/** gRPC status number → name. Unknown numbers count as `UNKNOWN`, as gRPC requires. */
export const criFaultCode = (status: number | undefined): CriFaultCode => grpcCodes[(status ?? 2) - 1] ?? 'UNKNOWN';

/** `true` if a failed call may still have had its effect. Only a new inspection of the runtime shows that. */
export const isInDoubt = (fault: CriFault): boolean =>
  fault.code === 'INTERRUPTED' ||
  fault.code === 'DEADLINE_EXCEEDED' ||
  fault.code === 'CANCELLED' ||
  fault.code === 'UNAVAILABLE';

/**
 * `true` if the runtime reports that an earlier call for the same name is still in flight. CRI runtimes reserve the
 * name of a sandbox or container during its creation, and answer a second request for it with this text.
 */
export const isNameReserved = ({ detail }: CriFault): boolean =>
  detail.split('\n').some((line) => {
    const name = line.indexOf('name ');
    return name >= 0 && line.includes(' is reserved for', name + 'name '.length);
  });

/** Returns a fault as gRPC libraries write it into messages for users: `rpc error: code = Unknown desc = …`. */
export function rpcErrorText({ code, detail }: CriFault): string {
  if (code === 'INTERRUPTED' || code === 'NOT_MADE') return detail;
  return rpcStatusText(code, detail);
}

/** The same for a gRPC status by its name, such as `DEADLINE_EXCEEDED`. */
export function rpcStatusText(code: string, detail: string): string {
  if (code === 'CANCELLED') return `rpc error: code = Canceled desc = ${detail}`;
  const words = code.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase());
  return `rpc error: code = ${words.join('')} desc = ${detail}`;
}
