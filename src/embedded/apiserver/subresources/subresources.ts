import { own } from '../../../kube/text/own.ts';
import type { CoreAnswer, CoreCall, CoreOperations } from '../store/core-contract.ts';
import { methodNotAllowed, noSuchPath, notImplemented } from '../store/refusal.ts';
import { approveRequest } from './certificate-requests.ts';
import { bindPod, evictPod, resizePod, setEphemeralContainers } from './pod-subresources.ts';
import { requestToken } from './token-request.ts';
import { namespaceKind } from '../kinds/namespace-kind.ts';

type SubresourceCall = (core: CoreOperations, call: CoreCall) => CoreAnswer;

/** Subresources that a node answers over a connection of its own: the transport handles them before the core. */
export const nodeSubresources: ReadonlySet<string> = new Set([
  'pods/log',
  'pods/exec',
  'pods/attach',
  'pods/portforward',
  'pods/proxy',
  'nodes/proxy',
]);

/** The node subresources that may be streams. A log is never one. */
export const streamSubresources: ReadonlySet<string> = new Set(
  [...nodeSubresources].filter((name) => name !== 'pods/log'),
);

const refuseNodeCall: SubresourceCall = (_core, { path }) => {
  throw notImplemented(
    `${path.resource}/${path.subresource} is answered by a node's own server, and this API server is not joined to one`,
  );
};

const finalizeNamespace: SubresourceCall = (core, call) => {
  if (call.request.method !== 'PUT') throw methodNotAllowed();
  return core.answer(namespaceKind, core.stored(namespaceKind, undefined, call.path.name ?? ''), call);
};

const calls: Readonly<Record<string, SubresourceCall>> = {
  'pods/binding': bindPod,
  'bindings/': bindPod,
  'pods/eviction': evictPod,
  'pods/resize': resizePod,
  'pods/ephemeralcontainers': setEphemeralContainers,
  'serviceaccounts/token': requestToken,
  'namespaces/finalize': finalizeNamespace,
  'certificatesigningrequests/approval': approveRequest,
  ...Object.fromEntries([...nodeSubresources].map((name) => [name, refuseNodeCall])),
};

/** The subresources of a resource, without `status`. */
export const subresourcesOf = (resource: string): readonly string[] =>
  Object.keys(calls)
    .filter((name) => name.startsWith(`${resource}/`) && name !== 'bindings/')
    .map((name) => name.slice(resource.length + 1));

export function callSubresource(core: CoreOperations, call: CoreCall): CoreAnswer {
  const { resource, subresource } = call.path;
  const answer = own(calls, `${resource}/${subresource}`);
  if (!answer) throw noSuchPath();
  return answer(core, call);
}
