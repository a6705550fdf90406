/** One reason among several why an object is invalid. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** The `Status` object (meta/v1) with which the API says no. */
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

/** Which object of which resource is meant, in the words of messages. */
export interface Subject {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
}

/** The API's no, thrown from wherever it is found to the one place that answers requests. */
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

/** `kind` is the object's kind here, not its resource: so the API has it. */
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

/** What the API fails at without having a reason for it: a 500 with a message. */
export const unreasoned = (message: string): Refusal => new Refusal({ code: 500, message });

/** A query that cannot be: the options of a verb are an object of their own, and are invalid as one. */
export const invalidOptions = (
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions' | 'ListOptions',
  causes: readonly StatusCause[],
): Refusal => invalid({ group: 'meta.k8s.io', kind, name: '' }, causes);

/** A patch that can be read, and cannot be applied. */
export const unfitPatch = (why: string): Refusal =>
  new Refusal({
    code: 422,
    reason: 'Invalid',
    message: ` "" is invalid: patch: Invalid value: ${why}`,
    details: { causes: [{ reason: 'FieldValueInvalid', message: `Invalid value: ${why}`, field: 'patch' }] },
  });

export const notImplemented = (message: string): Refusal =>
  new Refusal({ code: 501, reason: 'NotImplemented', message });

/** A revision that is still to come: another server gave it, or one whose memory is lost. */
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
