import type { ApiKind, ApiUser, KindContext } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { findKind } from './all-kinds.ts';
import type { CoreOperations, ApiCoreOptions, CoreAnswer, CoreCall, CoreRequest } from './core-contract.ts';
import { decodeObject } from './decode-object.ts';
import { inNamespace } from './in-namespace.ts';
import { listObjects, refuseFuture } from './list-objects.ts';
import { housekeeping, type Housekeeping } from './housekeeping.ts';
import { shown } from './object-selection.ts';
import { ObjectStore, keyOf } from './object-store.ts';
import { ObjectWatch } from './object-watch.ts';
import { ObjectWriter, subjectOf } from './object-writer.ts';
import { patchObject } from '../patch/patch-object.ts';
import { badRequest, methodNotAllowed, noSuchPath, notFound, Refusal } from './refusal.ts';
import { parseResourcePath, type ResourcePath } from '../http/request-path.ts';
import { answerReview } from '../subresources/reviews.ts';
import { callSubresource } from '../subresources/subresources.ts';
import type { WriteOptions } from './write-options.ts';
import { deleteOptions, writeOptions } from './write-options.ts';

const DEFAULT_HISTORY = 10_000;

/** The API, without a network: every request is answered at once, and a watch is something to read from. */
export class ApiCore implements CoreOperations {
  readonly store: ObjectStore;
  readonly writer: ObjectWriter;
  readonly options: ApiCoreOptions;
  readonly #housekeeping: Housekeeping;

  constructor(options: ApiCoreOptions) {
    const { historyLength = DEFAULT_HISTORY, firstRevision = 1 } = options;
    this.options = options;
    this.store = new ObjectStore({ historyLength, firstRevision });
    this.writer = new ObjectWriter(this.store, (storedAs, object) => this.#housekeeping.removed(storedAs, object));
    this.#housekeeping = housekeeping(this);
  }

  /** Creates the initial objects that do not exist yet. */
  begin(): void {
    this.#housekeeping.begin();
  }

  /** Never throws for a request: a refusal is an answer too. */
  handle(request: CoreRequest): CoreAnswer {
    try {
      return this.#answer(request);
    } catch (error) {
      if (error instanceof Refusal) return { type: 'failure', status: error.status };
      throw error;
    }
  }

  contextOf(user: ApiUser): KindContext {
    const { clock, random, makeUid, serviceAccountAdmission = false } = this.options;
    const get: KindContext['get'] = (resource, namespace, name) =>
      this.store.collection(resource).get(keyOf(namespace, name));
    const list: KindContext['list'] = (resource) => this.store.collection(resource).inOrderOfCreation();
    return { clock, random, makeUid, user, get, list, serviceAccountAdmission };
  }

  #answer(request: CoreRequest): CoreAnswer {
    const path = parseResourcePath(request.path);
    if (!path) throw noSuchPath();
    const call: CoreCall = { request, path, context: this.contextOf(request.user), warnings: [] };
    const review = answerReview(this, call);
    if (review) return review;
    if (path.resource === 'bindings' && path.namespace !== undefined) return callSubresource(this, call);
    const kind = findKind(path.group, path.version, path.resource);
    if (!kind || (path.namespace !== undefined && !kind.namespaced)) throw noSuchPath();
    if (path.subresource !== '' && path.subresource !== 'status') return callSubresource(this, call);
    if (path.subresource === 'status' && !kind.hasStatus) throw noSuchPath();
    return path.name === undefined ? this.#onCollection(kind, call) : this.#onObject(kind, path.name, call);
  }

  #onCollection(kind: ApiKind, call: CoreCall): CoreAnswer {
    const { path, request } = call;
    const { namespace, query } = path;
    switch (request.method) {
      case 'GET':
        return isWatch(query)
          ? this.#watch(kind, path)
          : { type: 'list', kind, ...listObjects(this.store, kind, { namespace, query }) };
      case 'POST':
        // A namespaced object cannot be created outside a namespace.
        if (kind.namespaced && namespace === undefined) throw methodNotAllowed();
        return this.#create(kind, call);
      case 'DELETE':
        return this.#deleteCollection(kind, call);
      default:
        throw methodNotAllowed();
    }
  }

  #onObject(kind: ApiKind, name: string, call: CoreCall): CoreAnswer {
    const { path, request, context } = call;
    this.checkNamespaced(kind, path);
    switch (request.method) {
      case 'GET':
        refuseFuture(path.query, this.store.revision);
        // A watch of one object is a watch of the list, narrowed to its name.
        return this.answer(kind, this.stored(kind, path.namespace, name), call);
      case 'PUT':
        return this.#replace(kind, name, call);
      case 'PATCH':
        return patchObject(this, kind, call);
      case 'DELETE': {
        if (path.subresource !== '') throw methodNotAllowed();
        const options = deleteOptions(request.body, path.query);
        const { object, isGone } = this.writer.delete({ kind, namespace: path.namespace, name }, options, context);
        if (!options.isDryRun) this.#housekeeping.deleted(kind, object);
        // Deleted pods are returned themselves; for other kinds a status reports the deletion.
        return isGone && kind.storedAs !== 'pods' ? success(kind, object) : this.answer(kind, object, call);
      }
      default:
        throw methodNotAllowed();
    }
  }

  #watch(kind: ApiKind, { namespace, name, query }: ResourcePath): CoreAnswer {
    const { clock, random } = this.options;
    return {
      type: 'watch',
      kind,
      watch: new ObjectWatch({ store: this.store, clock, random }, kind, { namespace, name, query }),
    };
  }

  #create(kind: ApiKind, call: CoreCall): CoreAnswer {
    const { context, path } = call;
    const options = this.writeOptions(call);
    this.checkNamespaced(kind, path);
    const given = inNamespace(this.decode(kind, call, options), path.namespace);
    return this.created(kind, this.create(kind, given, { context, options }), call);
  }

  create(kind: ApiKind, given: ApiObject, how: Parameters<ObjectWriter['create']>[2]): ApiObject {
    const created = this.writer.create(kind, given, how);
    if (!how.options.isDryRun) this.#housekeeping.created(kind, created);
    return created;
  }

  #replace(kind: ApiKind, name: string, call: CoreCall): CoreAnswer {
    const { context, path } = call;
    const options = this.writeOptions(call);
    const given = inNamespace(this.decode(kind, call, options), path.namespace);
    const { namespace } = path;
    if (kind.createsOnUpdate && this.store.collection(kind.storedAs).get(keyOf(namespace, name)) === undefined) {
      return this.created(kind, this.create(kind, given, { context, options }), call);
    }
    const part = path.subresource === 'status' ? 'status' : 'object';
    const updated = this.update({ kind, namespace, name, part, options, change: () => given }, context);
    return this.answer(kind, updated, call);
  }

  update(update: Parameters<ObjectWriter['update']>[0], context: KindContext): ApiObject {
    const updated = this.writer.update(update, context);
    if (!update.options.isDryRun) this.#housekeeping.updated(update.kind, updated);
    return updated;
  }

  #deleteCollection(kind: ApiKind, call: CoreCall): CoreAnswer {
    const { path, request, context } = call;
    const query = new URLSearchParams(path.query);
    query.delete('limit');
    query.delete('continue');
    const { items, metadata } = listObjects(this.store, kind, { namespace: path.namespace, query });
    const options = deleteOptions(request.body, query);
    for (const { metadata: each } of items) {
      const { namespace, name } = each;
      const { object } = this.writer.delete({ kind, namespace, name }, options, context);
      if (!options.isDryRun) this.#housekeeping.deleted(kind, object);
    }
    return { type: 'list', kind, metadata, items };
  }

  // ---- for subresource calls
  // ---------------------------------------------------------------------------------------

  stored(kind: ApiKind, namespace: string | undefined, name: string): ApiObject {
    const found = this.store.collection(kind.storedAs).get(keyOf(namespace, name));
    if (!found) throw notFound(subjectOf(kind, name));
    return found;
  }

  answer(kind: ApiKind, object: ApiObject, { warnings }: CoreCall): CoreAnswer {
    return { type: 'object', code: 200, object: shown(kind, object), kind, warnings };
  }

  created(kind: ApiKind, object: ApiObject, { warnings }: CoreCall): CoreAnswer {
    return { type: 'object', code: 201, object: shown(kind, object), kind, warnings };
  }

  writeOptions({ path, request, warnings }: CoreCall): WriteOptions {
    const { method, userAgent = '' } = request;
    const isApply = request.contentType?.startsWith('application/apply-patch') === true;
    return writeOptions(path.query, { userAgent, method, isApply }, (text) => warnings.push(text));
  }

  decode(kind: ApiKind, { request }: CoreCall, options: WriteOptions): ApiObject {
    const decoded = decodeObject(kind, request.body, options);
    return kind.view?.store(decoded) ?? decoded;
  }

  checkNamespaced(kind: ApiKind, path: ResourcePath): void {
    if (kind.namespaced && path.namespace === undefined) {
      throw badRequest(`the ${kind.resource} resource is namespaced: a namespace is needed on this path`);
    }
  }
}

const isWatch = (query: URLSearchParams): boolean => {
  const asked = query.get('watch');
  return asked === 'true' || asked === '1';
};

const success = (kind: ApiKind, { metadata }: ApiObject): CoreAnswer => ({
  type: 'object',
  code: 200,
  warnings: [],
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: metadata.name,
      ...(kind.group !== '' && { group: kind.group }),
      kind: kind.resource,
      uid: metadata.uid,
    },
  },
});
