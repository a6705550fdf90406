import type { PatchType } from '../../../api/api-request.ts';
import { own } from '../../../kube/text/own.ts';
import type { ApiKind } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers } from '../store/api-object.ts';
import type { CoreAnswer, CoreCall, CoreOperations } from '../store/core-contract.ts';
import { decodeObject } from '../store/decode-object.ts';
import { jsonPatch } from './json-patch.ts';
import { mergePatch } from './merge-patch.ts';
import { Refusal, unfitPatch, unsupportedMediaType } from '../store/refusal.ts';
import { applyObject } from './apply-object.ts';
import { strategicMerge } from './strategic-merge.ts';
import type { WriteOptions } from '../store/write-options.ts';

export const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic-merge',
  'application/apply-patch+yaml': 'apply',
};

/** Changes an object, or its status, by a patch. */
export function patchObject(core: CoreOperations, kind: ApiKind, call: CoreCall): CoreAnswer {
  const { path, request, context } = call;
  const options = core.writeOptions(call);
  const type = own(patchTypes, request.contentType?.split(';')[0]?.trim() ?? '');
  if (type === undefined) {
    const known = Object.keys(patchTypes).join(', ');
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${known}`,
    );
  }
  const part = path.subresource === 'status' ? 'status' : 'object';
  if (type === 'apply') return applyObject(core, kind, call);
  const { namespace, name = '' } = path;
  const change = (old: ApiObject): ApiObject => patchedObject(kind, old, { type, body: request.body, options });
  return core.answer(kind, core.update({ kind, namespace, name, part, options, change, isPatch: true }, context), call);
}

/** Returns the patched object, decoded again as an object of its kind. */
export function patchedObject(
  kind: ApiKind,
  old: ApiObject,
  patch: { readonly type: Exclude<PatchType, 'apply'>; readonly body: unknown; readonly options: WriteOptions },
): ApiObject {
  const before = kind.view?.show(old) ?? old;
  const decoded = decodePatched(kind, patched(kind, before, patch), patch);
  return kind.view?.store(decoded) ?? decoded;
}

/** The result of a patch must be a valid object: otherwise the patch is at fault, not the request. */
function decodePatched(
  kind: ApiKind,
  made: unknown,
  { body, options }: { readonly body: unknown; readonly options: WriteOptions },
): ApiObject {
  try {
    return decodeObject(kind, made, options);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status.code !== 400) throw error;
    throw unfitPatch(`${JSON.stringify(body)}: ${error.message}`);
  }
}

function patched(
  kind: ApiKind,
  before: ApiObject,
  { type, body }: { readonly type: Exclude<PatchType, 'apply'>; readonly body: unknown },
): unknown {
  if (type === 'json') return jsonPatch(before, body);
  if (!isMembers(body)) throw unfitPatch(`${JSON.stringify(body)}: it must be an object`);
  return type === 'merge' ? mergePatch(before, body) : strategicMerge(kind.kind, before, body);
}
