import fastJsonPatch from 'fast-json-patch';
import type { Operation } from 'fast-json-patch';
import { badRequest, Refusal } from './refusal.ts';

/** A JSON patch (RFC 6902). The target is not changed. */
export function jsonPatch(target: object, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw badRequest('a JSON patch must be a list of operations');
  try {
    // Operations were checked by nobody yet: the library's own validation does it.
    return fastJsonPatch.applyPatch(structuredClone(target), operations as Operation[], true, true, true).newDocument;
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    // Which object is meant, the API does not say here.
    const message = `the server rejected our request due to an error in our request: ${line}`;
    throw new Refusal({ code: 422, reason: 'Invalid', message, details: {} });
  }
}
