import { own } from '../../kube/text/own.ts';
/** The action of a client on this node, as an authorizer reads it (SubjectAccessReview). */
export interface AccessAttributes {
  readonly verb: string;
  readonly resource: 'nodes';
  readonly name: string;
  readonly subresource: string;
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Subresources by path: a right to the subresource covers the path. The order is free: no path is within another.
 */
const fixed: readonly (readonly [path: string, subresource: string])[] = [
  ['/stats', 'stats'],
  ['/metrics', 'metrics'],
  ['/logs', 'log'],
  ['/checkpoint', 'checkpoint'],
  ['/statusz', 'statusz'],
  ['/flagz', 'configz'],
];

/** Finer subresources, which were once part of `proxy` and which `proxy` still includes (KEP-2862). */
const fine: readonly (readonly [path: string, subresource: string])[] = [
  ['/pods', 'pods'],
  ['/runningpods', 'pods'],
  ['/healthz', 'healthz'],
  ['/configz', 'configz'],
];

const isWithin = (path: string, of: string): boolean => path === of || path.startsWith(`${of}/`);

/** Returns the questions to the authorizer for one request, in order: the first allowed one admits the request. */
export function accessAttributes(
  request: { readonly method: string; readonly path: string },
  node: { readonly name: string; readonly fineGrained: boolean },
): readonly AccessAttributes[] {
  const verb = own(verbs, request.method) ?? '';
  const of = (subresource: string): AccessAttributes => ({ verb, resource: 'nodes', name: node.name, subresource });
  const found = fixed.find(([path]) => isWithin(request.path, path));
  if (found !== undefined) return [of(found[1])];
  const finer = node.fineGrained ? fine.find(([path]) => isWithin(request.path, path)) : undefined;
  return finer === undefined ? [of('proxy')] : [of(finer[1]), of('proxy')];
}

/** The text of a 403. */
export const forbiddenText = (user: string, tried: readonly AccessAttributes[]): string => {
  const names = tried.map(({ subresource }) => subresource);
  return `Forbidden (user=${user}, verb=${tried[0]?.verb ?? ''}, resource=nodes, subresource(s)=[${names.join(' ')}])\n`;
};
