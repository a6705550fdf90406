import { own } from '../../../kube/text/own.ts';
import type { ResourcePath } from '../http/request-path.ts';
import { Refusal } from '../store/refusal.ts';
import type { RequestedAccess } from './judge-access.ts';

const verbs: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Returns the action of a request in the terms of RBAC (request attributes of the Kubernetes API). */
export function requestedAccess(method: string, path: string, named: ResourcePath | undefined): RequestedAccess {
  const verb = own(verbs, method) ?? method.toLowerCase();
  if (named === undefined || !/^\/apis?\//.test(path)) return { type: 'path', verb: method.toLowerCase(), path };
  const { group, resource, subresource, namespace, name, query } = named;
  // A namespace counts as lying in itself, as do its contents.
  const isIn = namespace ?? (resource === 'namespaces' ? name : undefined);
  return {
    type: 'resource',
    verb: verbOfList(verb, name, query),
    group,
    resource,
    subresource,
    namespace: isIn ?? '',
    name: name ?? nameInSelector(query),
  };
}

function verbOfList(verb: string, name: string | undefined, query: URLSearchParams): string {
  if (verb === 'get' && ['1', 'true'].includes(query.get('watch') ?? '')) return 'watch';
  if (name !== undefined) return verb;
  if (verb === 'get') return 'list';
  return verb === 'delete' ? 'deletecollection' : verb;
}

/** A list of one name may be allowed by a rule for this name alone. */
const nameInSelector = (query: URLSearchParams): string =>
  /^metadata\.name==?([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1] ?? '';

/** Returns the 403 that names the user and the forbidden action. */
export function accessRefused(username: string, asked: RequestedAccess): Refusal {
  const who = `User ${JSON.stringify(username)} cannot ${asked.verb}`;
  if (asked.type === 'path') {
    const message = `forbidden: ${who} path ${JSON.stringify(asked.path)}`;
    return new Refusal({ code: 403, reason: 'Forbidden', message, details: {} });
  }
  const { group, resource, subresource, namespace, name } = asked;
  const title = group === '' ? resource : `${resource}.${group}`;
  const subject = name === '' ? title : `${title} "${name}"`;
  const what = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return new Refusal({
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: ${who} resource "${what}" in API group "${group}" ${where}`,
    details: { ...(name !== '' && { name }), ...(group !== '' && { group }), kind: resource },
  });
}
