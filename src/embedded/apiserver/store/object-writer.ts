import { isDeepStrictEqual } from 'node:util';
import { restrictNodeDelete, restrictNodeWrite } from '../access/restrict-node.ts';
import { apiTime } from '../../../pod/values/api-time.ts';
import type { ApiKind, KindContext } from './api-kind.ts';
import { qualifiedResource } from './api-kind.ts';

import type { ApiObject } from './api-object.ts';
import { withMetadata } from './api-object.ts';
import { invalidValue, required } from './field-causes.ts';
import { markForDeletion } from './mark-for-deletion.ts';
import { type Manager, trackFields } from '../patch/managed-fields.ts';
import { metadataProblems, metadataUpdateProblems } from './metadata-validation.ts';
import type { ObjectStore } from './object-store.ts';
import { keyOf } from './object-store.ts';
import type { Subject } from './refusal.ts';
import {
  alreadyExists,
  badRequest,
  changedMeanwhile,
  conflict,
  forbidden,
  invalid,
  notFound,
  unreasoned,
} from './refusal.ts';
import type { DeleteOptions, WriteOptions } from './write-options.ts';

/** The part of an object that a write may change. */
export type WrittenPart = 'object' | 'status';

export interface Update {
  readonly kind: ApiKind;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly part: WrittenPart;
  /** Makes the new object from the stored one. */
  readonly change: (old: ApiObject) => ApiObject;
  /** Replaces the rules of the kind, for subresources that may change more than an update. */
  readonly rules?: Pick<ApiKind['rules'], 'prepareUpdate' | 'validateUpdate'>;
  /** When the object's UID has changed meanwhile, a patch is invalid and an update is a conflict. */
  readonly isPatch?: boolean;
  readonly options: WriteOptions;
  /** For an apply: the new field managers. */
  readonly managers?: readonly Manager[];
}

/** The rules of writing for every kind. Throws a `Refusal` where the API would refuse. */
export class ObjectWriter {
  readonly #store: ObjectStore;
  readonly #removed: (kind: string, object: ApiObject) => void;

  /** `removed` is called for every object that is gone. */
  constructor(store: ObjectStore, removed: (storedAs: string, object: ApiObject) => void) {
    this.#store = store;
    this.#removed = removed;
  }

  create(
    kind: ApiKind,
    given: ApiObject,
    { context, options, managers }: { context: KindContext; options: WriteOptions; managers?: readonly Manager[] },
  ): ApiObject {
    const named = this.#name(kind, given, context);
    const subject = subjectOf(kind, named.metadata.name);
    const { namespace } = named.metadata;
    this.#checkNamespace(namespace, subject);
    const existing = this.#store.collection(kind.storedAs).get(keyOf(namespace, named.metadata.name));
    if (existing) {
      const dying = existing.metadata.deletionTimestamp !== undefined;
      throw alreadyExists(subject, dying ? 'object is being deleted: ' : '');
    }
    const { rules } = kind;
    const prepared = rules.prepareCreate?.(named, context) ?? (kind.hasStatus ? withoutStatus(named) : named);
    const object = withMetadata(prepared, {
      uid: context.makeUid(),
      creationTimestamp: apiTime(context.clock.now()),
      generation: kind.hasGeneration ? 1 : undefined,
    });
    this.#refuseInvalid(kind, object, [...metadataProblems(kind, object), ...(rules.validate?.(object) ?? [])]);
    rules.admit?.(object, context);
    restrictNodeWrite({ kind, object, old: undefined }, context);
    const now = context.clock.now();
    const tracked = trackFields({ kind, object, old: undefined, now, options, managers, subresource: '' });
    return options.isDryRun ? tracked : this.#store.put(kind.storedAs, tracked);
  }

  update(update: Update, context: KindContext): ApiObject {
    const { kind, namespace, name, part, options } = update;
    const subject = subjectOf(kind, name);
    const key = keyOf(namespace, name);
    const old = this.#store.collection(kind.storedAs).get(key);
    if (!old) throw notFound(subject);
    const changed = update.change(old);
    this.#checkPreconditions(kind, changed, { old, isPatch: update.isPatch === true });
    const rules = update.rules ?? kind.rules;
    const merged = kept(kind, part, { changed, old });
    const prepared =
      part === 'status'
        ? (kind.rules.prepareStatus?.(merged) ?? merged)
        : (rules.prepareUpdate?.(merged, old, context) ?? merged);
    const object = withGeneration(kind, prepared, old);
    const problems =
      part === 'status'
        ? []
        : [...(rules.validateUpdate?.(object, old) ?? []), ...(kind.rules.validate?.(object) ?? [])];
    const metadata = [...metadataProblems(kind, object), ...metadataUpdateProblems(object, old)];
    this.#refuseInvalid(kind, object, [...metadata, ...problems]);
    const { managers } = update;
    const now = context.clock.now();
    const subresource = part === 'status' ? 'status' : '';
    const tracked = trackFields({ kind, object, old, now, options, managers, subresource });
    // An update without a change is not written: no new revision, no watch event.
    if (isDeepStrictEqual(tracked, old)) return old;
    if (part === 'object') kind.rules.admit?.(object, context);
    restrictNodeWrite({ kind, object, old }, context);
    if (options.isDryRun) return tracked;
    if (isFinished(tracked, old)) {
      this.#remove(kind.storedAs, key);
      return tracked;
    }
    return this.#store.put(kind.storedAs, tracked);
  }

  /** Returns the object as it is now, and whether it is gone for good. */
  delete(
    { kind, namespace, name }: { kind: ApiKind; namespace: string | undefined; name: string },
    options: DeleteOptions,
    context: KindContext,
  ): { readonly object: ApiObject; readonly isGone: boolean } {
    const subject = subjectOf(kind, name);
    const key = keyOf(namespace, name);
    const old = this.#store.collection(kind.storedAs).get(key);
    if (!old) throw notFound(subject);
    kind.rules.refuseDelete?.(old);
    restrictNodeDelete(kind, old, context);
    const { uid, resourceVersion } = old.metadata;
    if (options.uid !== undefined && options.uid !== uid) {
      const why =
        `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). ` +
        'The object might have been deleted and then recreated';
      throw conflict({ ...subject, resource: kind.kind }, why);
    }
    if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
      const why =
        `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in ` +
        `record (${resourceVersion}). The object might have been modified`;
      throw conflict({ ...subject, resource: kind.kind }, why);
    }
    const marked = markForDeletion(kind, old, { options, now: context.clock.now() });
    if (options.isDryRun) return { object: marked.object, isGone: marked.isGone };
    // A pod that is removed at once is first seen as being deleted, as with the API.
    const stored = marked.object === old ? old : this.#store.put(kind.storedAs, marked.object);
    return marked.isGone
      ? { object: this.#remove(kind.storedAs, key) ?? stored, isGone: true }
      : { object: stored, isGone: false };
  }

  /** Removes an object, whatever its finalizers. */
  #remove(storedAs: string, key: string): ApiObject | undefined {
    const last = this.#store.remove(storedAs, key);
    if (last) this.#removed(storedAs, last);
    return last;
  }

  /** Removes an object without finalizers: the end of a namespace. */
  finish(kind: ApiKind, object: ApiObject): void {
    this.#remove(kind.storedAs, keyOf(object.metadata.namespace, object.metadata.name));
  }

  #name(kind: ApiKind, given: ApiObject, { random }: KindContext): ApiObject {
    const { metadata } = given;
    const { generateName } = metadata;
    const name = metadata.name || (generateName ? `${generateName.slice(0, 58)}${suffix(random)}` : '');
    if (name === '') {
      throw invalid({ group: kind.group, kind: kind.kind, name: '' }, [
        required('metadata.name', 'name or generateName is required'),
      ]);
    }
    if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '') {
      throw unreasoned('resourceVersion should not be set on objects to be created');
    }
    return withMetadata(given, {
      name,
      uid: undefined,
      selfLink: undefined,
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
      generation: undefined,
    });
  }

  #checkNamespace(namespace: string | undefined, subject: Subject): void {
    if (namespace === undefined) return;
    const found = this.#store.collection('namespaces').get(namespace);
    if (!found) throw notFound({ group: '', resource: 'namespaces', name: namespace });
    if (found.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(subject, why, [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ]);
  }

  #checkPreconditions(
    kind: ApiKind,
    changed: ApiObject,
    { old, isPatch }: { readonly old: ApiObject; readonly isPatch: boolean },
  ): void {
    const { uid, resourceVersion } = changed.metadata;
    const subject = subjectOf(kind, old.metadata.name);
    if (uid !== undefined && uid !== '' && uid !== old.metadata.uid) {
      if (isPatch) this.#refuseInvalid(kind, old, [invalidValue('metadata.uid', uid, 'field is immutable')]);
      const key = `/registry/${qualifiedResource(kind.group, kind.resource)}/${keyOf(old.metadata.namespace, old.metadata.name)}`;
      const failed = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
      const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${failed}`;
      throw conflict(subject, why);
    }
    if (resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== old.metadata.resourceVersion) {
      throw changedMeanwhile(subject);
    }
    if ((resourceVersion ?? '') === '' && kind.needsRevision && !isPatch) {
      // The API names the resource here, not the kind.
      throw invalid({ group: kind.group, kind: kind.resource, name: old.metadata.name }, [
        { ...invalidValue('metadata.resourceVersion', 0, 'must be specified for an update') },
      ]);
    }
    if (changed.metadata.name !== old.metadata.name) {
      const message = `the name of the object (${changed.metadata.name}) does not match the name on the URL (${old.metadata.name})`;
      throw badRequest(message);
    }
  }

  #refuseInvalid(kind: ApiKind, object: ApiObject, causes: ReturnType<typeof metadataProblems>): void {
    if (causes.length > 0) throw invalid({ group: kind.group, kind: kind.kind, name: object.metadata.name }, causes);
  }
}

export const subjectOf = ({ group, resource }: Pick<ApiKind, 'group' | 'resource'>, name: string): Subject => ({
  group,
  resource,
  name,
});

function withoutStatus(object: ApiObject): ApiObject {
  const { status: _, ...rest } = object;
  return rest;
}

/** No vowels and no look-alikes: random names must not spell anything. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const suffix = (random: () => number): string =>
  Array.from({ length: 5 }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join('');

/**
 * Members that a writer may not change stay: those that the server maintains, and the part that is not being
 * written.
 */
function kept(
  kind: ApiKind,
  part: WrittenPart,
  { changed, old }: { readonly changed: ApiObject; readonly old: ApiObject },
): ApiObject {
  const { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds, resourceVersion } =
    old.metadata;
  const system = {
    uid,
    creationTimestamp,
    generation,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    resourceVersion,
    namespace: old.metadata.namespace,
    selfLink: undefined,
  };
  if (part === 'status') {
    const { ownerReferences, finalizers } = old.metadata;
    const metadata = withMetadata(changed, { ...system, ownerReferences, finalizers }).metadata;
    return withStatus({ ...old, metadata }, changed.status);
  }
  const object = withMetadata(changed, system);
  return kind.hasStatus ? withStatus(object, old.status) : object;
}

function withStatus(object: ApiObject, status: unknown): ApiObject {
  const rest = withoutStatus(object);
  return status === undefined ? rest : { ...rest, status };
}

function withGeneration(kind: ApiKind, object: ApiObject, old: ApiObject): ApiObject {
  if (!kind.hasGeneration || isDeepStrictEqual(object.spec, old.spec)) return object;
  return withMetadata(object, { generation: (old.metadata.generation ?? 0) + 1 });
}

/** `true` if this write removed the last finalizer of an object whose grace period is over. */
function isFinished({ metadata }: ApiObject, old: ApiObject): boolean {
  return (
    metadata.deletionTimestamp !== undefined &&
    (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
    (metadata.finalizers ?? []).length === 0 &&
    (old.metadata.finalizers ?? []).length > 0
  );
}
