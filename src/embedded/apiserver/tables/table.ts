import type { WallMs } from '../../../actor/clock.ts';
import type { AcceptedForm } from '../http/accepted-form.ts';
import type { ApiKind } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import type { ListMetadata } from '../store/list-objects.ts';
import { columnsOf } from './all-columns.ts';
import type { Column } from './column.ts';

export interface TableContext {
  /** Milliseconds since the epoch, for ages. */
  readonly now: WallMs;
  /** The object part that each row carries beside its cells. */
  readonly include: 'None' | 'Metadata' | 'Object';
}

interface TableForm extends AcceptedForm {
  readonly table: TableContext;
}

const definitions = (columns: readonly Column[]): readonly object[] =>
  columns.map(({ name, type, format = '', wide, description }) => ({
    name,
    type,
    format,
    description,
    priority: wide ? 1 : 0,
  }));

function row(columns: readonly Column[], object: ApiObject, { table, version }: TableForm): object {
  const { include, now } = table;
  const apiVersion = `meta.k8s.io/${version}`;
  return {
    cells: columns.map(({ cell }) => cell(object, now)),
    object:
      include === 'None'
        ? null
        : include === 'Object'
          ? object
          : { kind: 'PartialObjectMetadata', apiVersion, metadata: object.metadata },
  };
}

const table = ({ version }: TableForm, members: object): object => ({
  kind: 'Table',
  apiVersion: `meta.k8s.io/${version}`,
  ...members,
});

export function listAsTable(
  {
    kind,
    metadata,
    items,
  }: { readonly kind: ApiKind; readonly metadata: ListMetadata; readonly items: readonly ApiObject[] },
  form: TableForm,
): object {
  const columns = columnsOf(kind);
  const rows = items.map((object) => row(columns, object, form));
  return table(form, { metadata, columnDefinitions: definitions(columns), rows });
}

export function objectAsTable(kind: ApiKind, object: ApiObject, form: TableForm): object {
  const columns = columnsOf(kind);
  const { resourceVersion } = object.metadata;
  return table(form, {
    metadata: { resourceVersion },
    columnDefinitions: definitions(columns),
    rows: [row(columns, object, form)],
  });
}

/** A watch event as a table. A bookmark has no rows but carries the watch's revision. */
export function rowAsTable(
  kind: ApiKind,
  object: ApiObject,
  { type, form }: { readonly type: string; readonly form: TableForm },
): object {
  if (type !== 'BOOKMARK') return objectAsTable(kind, object, form);
  return table(form, { metadata: object.metadata, columnDefinitions: definitions(columnsOf(kind)), rows: [] });
}
