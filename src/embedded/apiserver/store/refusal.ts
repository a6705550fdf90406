/** One of several reasons why an object is invalid. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** The `Status` object (meta/v1) of a refusal. */
export interface FailureStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Record<string, never>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
  readonly code: number;
}

/** The object and resource in a message. */
export interface Subject {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
}

/** The API's refusal, thrown where it is found and caught where requests are answered. */
export class Refusal extends Error {
  readonly status: FailureStatus;

  constructor(status: Pick<FailureStatus, 'code' | 'message' | 'reason' | 'details'>) {
    super(status.message);
    this.status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...status };
  }
}

const qualified = ({ group, resource }: Subject): string => (group === '' ? resource : `${resource}.${group}`);
const named = (subject: Subject): string => `${qualified(subject)} "${subject.name}"`;
const detailsOf = ({ group, resource, name }: Subject) => ({
  ...(name !== '' && { name }),
  ...(group !== '' && { group }),
  kind: resource,
});

export const notFound = (subject: Subject): Refusal =>
  new Refusal({ code: 404, reason: 'NotFound', message: `${named(subject)} not found`, details: detailsOf(subject) });

export const noSuchPath = (): Refusal =>
  new Refusal({
    code: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });

export const alreadyExists = (subject: Subject, note: '' | 'object is being deleted: ' = ''): Refusal =>
  new Refusal({
    code: 409,
    reason: 'AlreadyExists',
    message: `${note}${named(subject)} already exists`,
    details: detailsOf(subject),
  });

export const conflict = (subject: Subject, why: string): Refusal =>
  new Refusal({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${named(subject)}: ${why}`,
    details: detailsOf(subject),
  });

export const changedMeanwhile = (subject: Subject): Refusal =>
  conflict(subject, 'the object has been modified; please apply your changes to the latest version and try again');

export const forbidden = (subject: Subject, why: string, causes?: readonly StatusCause[]): Refusal =>
  new Refusal({
    code: 403,
    reason: 'Forbidden',
    message: `${named(subject)} is forbidden: ${why}`,
    details: { ...detailsOf(subject), ...(causes && { causes }) },
  });

/** The API names the object's kind here, not its resource. */
export function invalid(
  object: { readonly group: string; readonly kind: string; readonly name: string },
  causes: readonly StatusCause[],
): Refusal {
  const lines = causes.map(({ field, message }) => (field ? `${field}: ${message}` : message));
  const text = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const title = object.group === '' ? object.kind : `${object.kind}.${object.group}`;
  return new Refusal({
    code: 422,
    reason: 'Invalid',
    message: `${title} "${object.name}" is invalid: ${text}`,
    details: {
      ...(object.name !== '' && { name: object.name }),
      ...(object.group !== '' && { group: object.group }),
      kind: object.kind,
      causes,
    },
  });
}

export const badRequest = (message: string): Refusal => new Refusal({ code: 400, reason: 'BadRequest', message });

export const expired = (message: string): Refusal => new Refusal({ code: 410, reason: 'Expired', message });

export const methodNotAllowed = (): Refusal =>
  new Refusal({
    code: 405,
    reason: 'MethodNotAllowed',
    message: 'the server does not allow this method on the requested resource',
    details: {},
  });

export const unsupportedMediaType = (message: string): Refusal =>
  new Refusal({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });

/** A failure without a reason of its own: a 500 with a message. */
export const unreasoned = (message: string): Refusal => new Refusal({ code: 500, message });

/** An invalid query: the API treats the options of a verb as an object, which is invalid. */
export const invalidOptions = (
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions',
  causes: readonly StatusCause[],
): Refusal => invalid({ group: 'meta.k8s.io', kind, name: '' }, causes);

/** A readable patch that cannot be applied. */
export const unfitPatch = (why: string): Refusal =>
  new Refusal({
    code: 422,
    reason: 'Invalid',
    message: ` "" is invalid: patch: Invalid value: ${why}`,
    details: { causes: [{ reason: 'FieldValueInvalid', message: `Invalid value: ${why}`, field: 'patch' }] },
  });

export const notImplemented = (message: string): Refusal =>
  new Refusal({ code: 501, reason: 'NotImplemented', message });

/** A future revision: another server gave it, or this server lost its state. */
export const revisionFromTheFuture = (asked: number, current: number): Refusal =>
  new Refusal({
    code: 504,
    reason: 'Timeout',
    message: `Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
