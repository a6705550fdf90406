import type { ApiFault } from '../api-request.ts';

/** Returns the fault of a call for an error of its connection. */
export function networkFault(what: string, error: Error & { readonly code?: string }): ApiFault {
  const message = `${what}: ${describe(error)}`;
  switch (error.code) {
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return { kind: 'timed-out', message };
    default:
      return { kind: 'unreachable', message };
  }
}

function describe(error: Error & { readonly code?: string; readonly errors?: readonly Error[] }): string {
  // One error for each address that was tried.
  if (Array.isArray(error.errors) && error.errors.length > 0)
    return error.errors.map((each: Error) => each.message).join('; ');
  const cause =
    error.cause instanceof Error && error.cause.message !== error.message ? ` (${error.cause.message})` : '';
  return `${error.message || (error.code ?? error.name)}${cause}`;
}

export const headerText = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];
