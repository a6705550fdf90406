import { isDeepStrictEqual } from 'node:util';
import { apiTime } from '../../../pod/values/api-time.ts';
import type { CoreAnswer, CoreCall, CoreOperations } from '../store/core-contract.ts';
import { inNamespace } from '../store/in-namespace.ts';
import { apiVersionOf, type ApiKind } from '../store/api-kind.ts';
import type { ApiObject, Members } from '../store/api-object.ts';
import { isMembers, membersOf, withMetadata } from '../store/api-object.ts';
import { decodeObject } from '../store/decode-object.ts';
import { required } from '../store/field-causes.ts';
import { isSameManager, type Manager, managersOf } from './managed-fields.ts';
import { keyOf } from '../store/object-store.ts';
import { mergeApplied, withoutFields } from './merge-applied.ts';
import { fieldsOf, isWithin, pathText } from './owned-fields.ts';
import { badRequest, invalid, Refusal } from '../store/refusal.ts';
import type { WriteOptions } from '../store/write-options.ts';

/**
 * Server-side apply (KEP-555). The sender names the fields that it wants, and owns them from then on. A field that
 * it no longer names is removed, unless another manager owns it. A field that another manager owns with another
 * value is a conflict, unless forced.
 */
export function applyObject(core: CoreOperations, kind: ApiKind, call: CoreCall): CoreAnswer {
  const { path, request, context } = call;
  const options = core.writeOptions(call);
  if (!path.query.get('fieldManager')) {
    throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions', name: '' }, [
      required('fieldManager', 'is required for apply patch'),
    ]);
  }
  if (isMembers(request.body) && isMembers(request.body['metadata']) && request.body['metadata']['managedFields']) {
    throw badRequest('metadata.managedFields must be nil');
  }
  const { namespace, name = '', subresource } = path;
  const given = isMembers(request.body) ? request.body : {};
  if (given['apiVersion'] !== apiVersionOf(kind)) {
    const said = typeof given['apiVersion'] === 'string' ? given['apiVersion'] : '';
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${said}, expected: ${apiVersionOf(kind)}`,
    );
  }
  const named = membersOf(given, 'metadata')['name'];
  if (typeof named === 'string' && named !== '' && named !== name) {
    throw badRequest(`the name of the object (${named}) does not match the name on the URL (${name})`);
  }
  const applied = withMetadata(inNamespace(decodeObject(kind, request.body, options), namespace), { name });
  const stored = core.store.collection(kind.storedAs).get(keyOf(namespace, name));
  const now = apiTime(core.options.clock.now());
  const applier: Applier = { name: options.fieldManager, apiVersion: apiVersionOf(kind), subresource, now };
  if (!stored) {
    const { resourceVersion: _, ...metadata } = applied.metadata;
    // Without the resource version, which an object that is new must not have.
    const object = { ...applied, metadata } as ApiObject;
    const managers = [managerOf(applier, new Set(fieldsOf(object).keys()))];
    return core.created(kind, core.create(kind, object, { context, options, managers }), call);
  }
  const part = subresource === 'status' ? 'status' : 'object';
  const { object, managers } = apply(stored, applied, { applier, force: options.force });
  const change = (): ApiObject => decodeObject(kind, object, ignoring(options));
  return core.answer(
    kind,
    core.update({ kind, namespace, name, part, options, change, managers, isPatch: true }, context),
    call,
  );
}

/** The merged object was checked when it came in. */
const ignoring = (options: WriteOptions): WriteOptions => ({ ...options, fieldValidation: 'Ignore' });

interface Applier {
  readonly name: string;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly now: string;
}

const managerOf = ({ name, apiVersion, subresource, now }: Applier, paths: Set<string>): Manager => ({
  name,
  operation: 'Apply',
  apiVersion,
  subresource,
  time: now,
  paths,
});

interface Applied {
  readonly object: ApiObject;
  readonly managers: readonly Manager[];
}

/** Returns the stored object with the applied fields, and the new owners. Throws a `Refusal` for conflicts. */
function apply(
  stored: ApiObject,
  applied: ApiObject,
  { applier, force }: { readonly applier: Applier; readonly force: boolean },
): Applied {
  const wanted = fieldsOf(applied);
  const current = fieldsOf(stored);
  const managers = knownManagers(stored, applier);
  const own = managerOf(applier, new Set(wanted.keys()));
  const others = managers.filter((manager) => !isSameManager(manager, own));
  const mine = managers.find((manager) => isSameManager(manager, own));

  const disputed = (path: string): boolean =>
    current.has(path) && !isDeepStrictEqual(current.get(path), wanted.get(path));
  const conflicts = others.flatMap((manager) =>
    [...manager.paths].filter((path) => wanted.has(path) && disputed(path)).map((path) => ({ manager, path })),
  );
  if (conflicts.length > 0 && !force) throw applyConflict(conflicts);
  for (const { manager, path } of conflicts) manager.paths.delete(path);

  const isOwnedByOthers = (path: string): boolean =>
    others.some(({ paths }) => [...paths].some((each) => isWithin(each, path)));
  const dropped = [...(mine?.paths ?? [])].filter((path) => !wanted.has(path) && !isOwnedByOthers(path));
  const merged = mergeApplied(withoutFields(stored, dropped), applied);
  const left = fieldsOf(merged);
  for (const { paths } of others) for (const path of paths) if (!left.has(path)) paths.delete(path);
  const isSame = mine !== undefined && isDeepStrictEqual(mine.paths, own.paths);
  return { object: merged, managers: [...others, isSame ? { ...own, time: mine.time } : own] };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Returns the field managers. Fields of an untracked object belong to a manager of earlier writes. Fields in the
 * annotation of kubectl's client-side apply belong to kubectl, so that one kind of apply can continue the other.
 */
function knownManagers(stored: ApiObject, { name, apiVersion, subresource, now }: Applier): Manager[] {
  const managers = managersOf(stored);
  if (managers.length > 0) return managers;
  const all = new Set(fieldsOf(stored).keys());
  const before = { apiVersion, subresource: '', time: now } as const;
  const lastApplied = name === 'kubectl' && subresource === '' ? lastAppliedOf(stored) : undefined;
  const claimed = lastApplied === undefined ? [] : [...fieldsOf(lastApplied).keys()].filter((path) => all.has(path));
  // The annotation itself stays without an owner: kubectl rewrites it as long as it exists.
  for (const path of claimed) all.delete(path);
  return [
    { ...before, name: 'before-first-apply', operation: 'Update', paths: all },
    ...(claimed.length === 0 ? [] : [{ ...before, name, operation: 'Apply' as const, paths: new Set(claimed) }]),
  ];
}

function lastAppliedOf(stored: ApiObject): ApiObject | undefined {
  const text = stored.metadata.annotations?.[LAST_APPLIED];
  if (text === undefined) return undefined;
  try {
    // kubectl wrote what it had applied: an object of this kind.
    const read = JSON.parse(text) as Members;
    return { ...read, kind: stored.kind, apiVersion: stored.apiVersion } as unknown as ApiObject;
  } catch {
    return undefined; // an annotation may contain any text
  }
}

function applyConflict(conflicts: readonly { readonly manager: Manager; readonly path: string }[]): Refusal {
  const title = ({ name, apiVersion, operation, time, subresource }: Manager): string =>
    `"${name}"${subresource === '' ? '' : ` with subresource "${subresource}"`} using ${apiVersion}` +
    (operation === 'Update' && time !== '' ? ` at ${time}` : '');
  const [first] = conflicts;
  const byManager = Map.groupBy(conflicts, ({ manager }) => title(manager));
  const lines = [...byManager].flatMap(([who, all]) => [
    `conflicts with ${who}:`,
    ...all.map(({ path }) => `- ${pathText(path)}`),
  ]);
  const message =
    conflicts.length === 1 && first
      ? `Apply failed with 1 conflict: conflict with ${title(first.manager)}: ${pathText(first.path)}`
      : `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${title(manager)}`,
    field: pathText(path),
  }));
  return new Refusal({ code: 409, reason: 'Conflict', message, details: { causes } });
}
