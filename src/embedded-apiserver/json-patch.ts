import fastJsonPatch from 'fast-json-patch';
import type { Operation } from 'fast-json-patch';
import { invalid, badRequest } from './refusal.ts';
import type { ApiKind } from './api-kind.ts';

/** A JSON patch (RFC 6902). The target is not changed. */
export function jsonPatch(kind: ApiKind, target: object, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw badRequest('a JSON patch must be a list of operations');
  const name = (target as { readonly metadata?: { readonly name?: string } }).metadata?.name ?? '';
  try {
    // Operations were checked by nobody yet: the library's own validation does it.
    return fastJsonPatch.applyPatch(structuredClone(target), operations as Operation[], true, true, true).newDocument;
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    const why = `the server rejected our request due to an error in our request: ${line}`;
    throw invalid({ group: kind.group, kind: kind.kind, name }, [{ reason: 'FieldValueInvalid', message: why }]);
  }
}
