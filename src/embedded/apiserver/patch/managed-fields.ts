import type { WallMs } from '../../../actor/clock.ts';
import { isDeepStrictEqual } from 'node:util';
import { apiTime } from '../../../pod/values/api-time.ts';
import { apiVersionOf, type ApiKind } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, textOf, withMetadata } from '../store/api-object.ts';
import { fieldsOf, fromFieldsV1, toFieldsV1 } from './owned-fields.ts';
import type { WriteOptions } from '../store/write-options.ts';

/** The fields that one manager wrote: one entry of `metadata.managedFields`. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
  readonly paths: Set<string>;
}

export const isSameManager = (one: Manager, other: Omit<Manager, 'paths' | 'time'>): boolean =>
  one.name === other.name && one.operation === other.operation && one.subresource === other.subresource;

export function managersOf({ metadata }: ApiObject): Manager[] {
  return (metadata.managedFields ?? []).filter(isMembers).flatMap((entry) =>
    entry['manager'] === undefined
      ? []
      : [
          {
            name: textOf(entry['manager']),
            operation: entry['operation'] === 'Apply' ? ('Apply' as const) : ('Update' as const),
            apiVersion: textOf(entry['apiVersion']),
            subresource: textOf(entry['subresource']),
            time: textOf(entry['time']),
            paths: fromFieldsV1(entry['fieldsV1']),
          },
        ],
  );
}

/** Returns the object with these managers; managers without fields are left out. */
export function withManagers(object: ApiObject, managers: readonly Manager[]): ApiObject {
  const entries = managers
    .filter(({ paths }) => paths.size > 0)
    .map(({ name, operation, apiVersion, subresource, time, paths }) => ({
      manager: name,
      operation,
      apiVersion,
      time,
      fieldsType: 'FieldsV1',
      fieldsV1: toFieldsV1(paths),
      ...(subresource !== '' && { subresource }),
    }));
  return withMetadata(object, { managedFields: entries.length === 0 ? undefined : entries });
}

/** The creator owns all fields that it created; later status changes are not its own. */
const makerOf = ({ kind, object, options, now }: TrackedWrite): Manager => ({
  name: options.fieldManager,
  operation: 'Update',
  apiVersion: apiVersionOf(kind),
  subresource: '',
  time: apiTime(now),
  paths: new Set([...fieldsOf(object).keys()].filter((path) => !path.startsWith('f:status'))),
});

export interface TrackedWrite {
  readonly kind: ApiKind;
  readonly object: ApiObject;
  readonly old: ApiObject | undefined;
  readonly now: WallMs;
  readonly options: WriteOptions;
  /** The result of an apply; it replaces everything that follows. */
  readonly managers: readonly Manager[] | undefined;
  readonly subresource: string;
}

/**
 * Records field managers. Tracked objects: those created by a client that names itself, as kubectl does, and those
 * that were ever applied. Others are not tracked, since they are never read and statuses are written often. A write
 * of a tracked object takes the fields that it changes from all other managers.
 */
export function trackFields(write: TrackedWrite): ApiObject {
  const { kind, object, old, now, options, subresource } = write;
  if (write.managers) return withManagers(object, write.managers);
  // An absent list keeps the present managers; `[{}]` removes them.
  const current = old ? managersOf((object.metadata.managedFields ?? []).length > 0 ? object : old) : [];
  if (!old && options.namesItself) return withManagers(object, [makerOf(write)]);
  if (!old || current.length === 0) return withMetadata(object, { managedFields: undefined });
  const before = fieldsOf(old);
  const after = fieldsOf(object);
  const changed = new Set(
    [...after].filter(([path, value]) => !isDeepStrictEqual(before.get(path), value)).map(([path]) => path),
  );
  const gone = [...before.keys()].filter((path) => !after.has(path));
  if (changed.size === 0 && gone.length === 0) return withManagers(object, current);
  const own = { name: options.fieldManager, operation: 'Update', apiVersion: apiVersionOf(kind), subresource } as const;
  const others = current.filter((manager) => !isSameManager(manager, own));
  const mine = current.find((manager) => isSameManager(manager, own));
  for (const { paths } of current) for (const path of [...changed, ...gone]) paths.delete(path);
  const paths = new Set([...(mine?.paths ?? []), ...changed]);
  return withManagers(object, [...others, { ...own, time: apiTime(now), paths }]);
}
