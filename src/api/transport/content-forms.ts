import { elapsedMs, type Clock, type MonotonicMs } from '../../actor/clock.ts';

/** How objects are encoded on their way from and to the server. */
export type ContentForm = 'protobuf' | 'json';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
export const JSON_TYPE = 'application/json';

/** Returns the form of an answer. `undefined` when the answer is from a server of another kind. */
export function formOfAnswer(contentType: string | undefined): ContentForm | undefined {
  if (contentType?.startsWith(JSON_TYPE) === true) return 'json';
  return contentType?.startsWith(PROTOBUF) === true ? 'protobuf' : undefined;
}

/** `true` if the server refused a form and not the request: the request had no effect. */
export const isFormRefused = (code: number): boolean => code === 406 || code === 415;

/** The resources whose kinds have a protobuf form here. */
const covered: ReadonlySet<string> = new Set([
  'pods',
  'pods/status',
  'nodes',
  'nodes/status',
  'services',
  'configmaps',
  'secrets',
  'serviceaccounts',
  'serviceaccounts/token',
  'persistentvolumes',
  'persistentvolumeclaims',
  'persistentvolumeclaims/status',
  'events',
  'leases',
  'runtimeclasses',
  'csinodes',
  'csidrivers',
  'volumeattachments',
  'certificatesigningrequests',
  'clustertrustbundles',
  'podcertificaterequests',
  'tokenreviews',
  'subjectaccessreviews',
]);

/**
 * Resources whose objects the agent writes back as a whole. A field of a newer server would be lost in protobuf, so an
 * object with such a field is read in JSON.
 */
const writtenBack: ReadonlySet<string> = new Set(['leases', 'csinodes']);

export const isWrittenBack = (resource: string): boolean => writtenBack.has(resource);

/** A server that does not speak protobuf may be replaced by one that does. */
const ASK_AGAIN_MS = 30 * 60_000;

/** Decides the form of each request, by its resource. Remembers where the server did not answer in protobuf. */
export class ContentForms {
  readonly #preferred: ContentForm;
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #refusedAt = new Map<string, MonotonicMs>();

  constructor(preferred: ContentForm, clock: Pick<Clock, 'monotonic'>) {
    this.#preferred = preferred;
    this.#clock = clock;
  }

  formOf(resource: string): ContentForm {
    if (this.#preferred === 'json' || !covered.has(resource)) return 'json';
    const refusedAt = this.#refusedAt.get(resource);
    if (refusedAt === undefined) return 'protobuf';
    return elapsedMs(refusedAt, this.#clock.monotonic()) < ASK_AGAIN_MS ? 'json' : 'protobuf';
  }

  /** From now on, the resource is read and written in JSON. `false` when it was already. */
  refused(resource: string): boolean {
    const wasProtobuf = this.formOf(resource) === 'protobuf';
    if (wasProtobuf) this.#refusedAt.set(resource, this.#clock.monotonic());
    return wasProtobuf;
  }
}
