/** Why the runtime did not do what was asked: gRPC's own code names, and `INTERRUPTED` where the agent lost its own call. */
export const criFaultCodes = [
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
  'INTERRUPTED',
] as const;
export type CriFaultCode = (typeof criFaultCodes)[number];

export interface CriFault {
  readonly code: CriFaultCode;
  /** The runtime's own words, without the client library's decoration. */
  readonly detail: string;
}

export type CriOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly fault: CriFault };

/** gRPC status number → name. Unknown numbers count as `UNKNOWN`, as gRPC asks for. */
export const criFaultCode = (status: number | undefined): CriFaultCode => criFaultCodes[(status ?? 2) - 1] ?? 'UNKNOWN';

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
export const isNameReserved = (fault: CriFault): boolean => /name .* is reserved for/.test(fault.detail);

/** A fault as gRPC libraries write it into messages that users see: `rpc error: code = Unknown desc = …`. */
export function rpcErrorText({ code, detail }: CriFault): string {
  if (code === 'INTERRUPTED') return detail;
  if (code === 'CANCELLED') return `rpc error: code = Canceled desc = ${detail}`;
  const words = code.split('_').map((word) => word.charAt(0) + word.slice(1).toLowerCase());
  return `rpc error: code = ${words.join('')} desc = ${detail}`;
}
