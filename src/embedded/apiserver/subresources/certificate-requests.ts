import { own } from '../../../kube/text/own.ts';
import { apiTime } from '../../../pod/values/api-time.ts';
import type { ApiObject, Members } from '../store/api-object.ts';
import { isMembers, membersOf } from '../store/api-object.ts';
import { certificateRequestKind } from '../kinds/certificate-kind.ts';
import type { CoreAnswer, CoreCall, CoreOperations } from '../store/core-contract.ts';
import { keyOf } from '../store/object-store.ts';
import { patchedObject, patchTypes } from '../patch/patch-object.ts';
import { methodNotAllowed, unsupportedMediaType } from '../store/refusal.ts';

/** Requests of nodes to these signers are approved automatically. */
const APPROVED_AT_ONCE: ReadonlySet<unknown> = new Set([
  'kubernetes.io/kube-apiserver-client-kubelet',
  'kubernetes.io/kubelet-serving',
]);
const SIGNED_HERE: ReadonlySet<unknown> = new Set([...APPROVED_AT_ONCE, 'kubernetes.io/kube-apiserver-client']);

const conditionsOf = (request: ApiObject): readonly Members[] => {
  // Members of a status are unknown; checked below.
  const { conditions } = membersOf(request, 'status') as { readonly conditions?: unknown };
  return Array.isArray(conditions) ? conditions.filter(isMembers) : [];
};
const has = (request: ApiObject, type: string): boolean => conditionsOf(request).some((each) => each['type'] === type);

const withStatus = (request: ApiObject, changes: Members): ApiObject => ({
  ...request,
  status: { ...membersOf(request, 'status'), ...changes },
});

/** `certificatesigningrequests/<name>/approval`: what `kubectl certificate approve` writes. */
export function approveRequest(core: CoreOperations, call: CoreCall): CoreAnswer {
  const { request, path, context } = call;
  const { name = '' } = path;
  const kind = certificateRequestKind;
  if (request.method === 'GET') return core.answer(kind, core.stored(kind, undefined, name), call);
  if (request.method !== 'PUT' && request.method !== 'PATCH') throw methodNotAllowed();
  const options = core.writeOptions(call);
  const change = (old: ApiObject): ApiObject => {
    if (request.method === 'PUT') return core.decode(kind, call, options);
    const type = own(patchTypes, request.contentType?.split(';')[0]?.trim() ?? '');
    if (type === undefined || type === 'apply') throw unsupportedMediaType('an approval must be a json or merge patch');
    return patchedObject(kind, old, { type, body: request.body, options });
  };
  const now = apiTime(core.options.clock.now());
  const timed = (object: ApiObject): ApiObject =>
    withStatus(object, {
      conditions: conditionsOf(object).map((each) => ({ lastUpdateTime: now, lastTransitionTime: now, ...each })),
    });
  const update = {
    kind,
    namespace: undefined,
    name,
    part: 'status',
    options,
    change: (old: ApiObject) => timed(change(old)),
  } as const;
  const updated = core.update(update, context);
  if (!options.isDryRun) signIfApproved(core, updated);
  return core.answer(kind, updated, call);
}

/** Approves what a node asks for, and has it signed. */
export function judgeRequest(core: CoreOperations, request: ApiObject): void {
  if (!APPROVED_AT_ONCE.has(membersOf(request, 'spec')['signerName'])) return;
  const now = apiTime(core.options.clock.now());
  const approval = {
    type: 'Approved',
    status: 'True',
    reason: 'AutoApproved',
    message: 'the embedded API server approves the certificates of its nodes',
    lastUpdateTime: now,
    lastTransitionTime: now,
  };
  const approved = withStatus(request, { conditions: [...conditionsOf(request), approval] });
  signIfApproved(core, core.store.put(certificateRequestKind.storedAs, approved));
}

/** Signing takes a moment: the certificate appears in the request's status when it is there. */
function signIfApproved(core: CoreOperations, request: ApiObject): void {
  const { signCertificate } = core.options;
  const isDue = has(request, 'Approved') && !has(request, 'Denied') && !has(request, 'Failed');
  if (!signCertificate || !isDue || membersOf(request, 'status')['certificate'] !== undefined) return;
  if (!SIGNED_HERE.has(membersOf(request, 'spec')['signerName'])) return;
  const finish = (changes: Members): void => {
    const { name, uid } = request.metadata;
    const current = core.store.collection(certificateRequestKind.storedAs).get(keyOf(undefined, name));
    if (current?.metadata.uid !== uid || !current) return;
    core.store.put(certificateRequestKind.storedAs, withStatus(current, changes));
  };
  signCertificate(request).then(
    (certificate) => finish({ certificate: Buffer.from(certificate).toString('base64') }),
    (error: unknown) => {
      const failed = { type: 'Failed', status: 'True', reason: 'SigningFailed', message: String(error) };
      finish({ conditions: [...conditionsOf(request), failed] });
    },
  );
}
