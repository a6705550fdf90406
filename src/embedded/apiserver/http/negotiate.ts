import type { WatchEvent } from '../../../api/api-transport.ts';
import type { AcceptedForm } from './accepted-form.ts';
import type { CoreAnswer } from '../store/core-contract.ts';
import type { ApiKind } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { protobufList, protobufObject } from './encode-protobuf.ts';
import { encodeList, encodeObject } from './encode-object.ts';
import { listAsTable, objectAsTable, rowAsTable, type TableContext } from '../tables/table.ts';

const isApiObject = (object: object): object is ApiObject =>
  'metadata' in object && 'kind' in object && 'apiVersion' in object;

export interface Form extends AcceptedForm {
  readonly table: TableContext;
}

/** Encodes an answer that is not a watch, in the accepted encoding. JSON is for kinds without a protobuf form. */
export function encodeAnswer(
  answer: Exclude<CoreAnswer, { type: 'watch' }>,
  form: Form,
): { readonly encoding: Form['encoding']; readonly body: string | Buffer } {
  const bytes = form.encoding === 'protobuf' ? inProtobuf(answer) : undefined;
  return bytes === undefined
    ? { encoding: 'json', body: encodeJson(answer, form) }
    : { encoding: 'protobuf', body: bytes };
}

function inProtobuf(answer: Exclude<CoreAnswer, { type: 'watch' }>): Buffer | undefined {
  if (answer.type === 'list') return protobufList(answer.kind, answer);
  return protobufObject(answer.type === 'failure' ? answer.status : answer.object);
}

function encodeJson(answer: Exclude<CoreAnswer, { type: 'watch' }>, form: Form): string {
  switch (answer.type) {
    case 'failure':
      return `${JSON.stringify(answer.status)}\n`;
    case 'list': {
      if (form.form === 'table') return `${JSON.stringify(listAsTable(answer, form))}\n`;
      if (form.form === 'metadata') {
        const items = answer.items.map(metadataOnly);
        return `${JSON.stringify({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata: answer.metadata, items })}\n`;
      }
      return encodeList(answer.kind, answer);
    }
    case 'object': {
      const { object, kind } = answer;
      if (kind === undefined || !isApiObject(object)) return `${JSON.stringify(object)}\n`;
      if (form.form === 'table') return `${JSON.stringify(objectAsTable(kind, object, form))}\n`;
      if (form.form === 'metadata') return `${JSON.stringify(metadataOnly(object))}\n`;
      return `${encodeObject(object)}\n`;
    }
    default:
      return answer satisfies never;
  }
}

export const metadataOnly = ({ metadata }: ApiObject): object => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
});

/** Encodes one line of a watch. */
export function encodeEvent(kind: ApiKind, { type, object }: WatchEvent, form: Form): string {
  const head = `{"type":"${type}","object":`;
  if (type === 'ERROR' || (type === 'BOOKMARK' && form.form === 'object')) return `${head}${JSON.stringify(object)}}\n`;
  // All other watch events carry an object of the kind.
  const whole = object as ApiObject;
  if (form.form === 'table') return `${head}${JSON.stringify(rowAsTable(kind, whole, { type, form }))}}\n`;
  if (form.form === 'metadata') return `${head}${JSON.stringify(metadataOnly(whole))}}\n`;
  return `${head}${encodeObject(whole)}}\n`;
}
