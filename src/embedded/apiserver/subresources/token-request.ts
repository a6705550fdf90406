import { own } from '../../../kube/text/own.ts';
import { restrictNodeToken } from '../access/restrict-node.ts';
import { apiTime } from '../../../pod/values/api-time.ts';
import type { ApiCore, CoreAnswer, CoreCall } from '../store/api-core.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf } from '../store/api-object.ts';
import { serviceAccountKind } from '../kinds/config-kinds.ts';
import { invalidValue } from '../store/field-causes.ts';
import { keyOf } from '../store/object-store.ts';
import { badRequest, conflict, invalid, methodNotAllowed, notFound } from '../store/refusal.ts';
import type { TokenClaims } from './token-issuer.ts';

const SHORTEST_SECONDS = 600;
const DEFAULT_SECONDS = 3600;

/**
 * `POST serviceaccounts/<name>/token`: issues a token that expires, bound to an object if one is named
 * (TokenRequest).
 */
export function requestToken(core: ApiCore, { request, path, context }: CoreCall): CoreAnswer {
  if (request.method !== 'POST') throw methodNotAllowed();
  const { namespace = '', name = '' } = path;
  const account = core.stored(serviceAccountKind, namespace, name);
  const spec = membersOf(request.body, 'spec');
  restrictNodeToken({ namespace, name, reference: spec['boundObjectRef'] }, context);
  const seconds = Number(spec['expirationSeconds'] ?? DEFAULT_SECONDS);
  if (!(seconds >= SHORTEST_SECONDS)) {
    throw invalid({ group: 'authentication.k8s.io', kind: 'TokenRequest', name: '' }, [
      invalidValue(
        'spec.expirationSeconds',
        spec['expirationSeconds'],
        'may not specify a duration less than 10 minutes',
      ),
    ]);
  }
  const { tokens, clock, makeUid } = core.options;
  const audiences =
    Array.isArray(spec['audiences']) && spec['audiences'].length > 0 ? spec['audiences'].map(String) : [tokens.issuer];
  const now = Math.floor(clock.now() / 1000);
  const claims: TokenClaims = {
    aud: audiences,
    exp: now + seconds,
    iat: now,
    iss: tokens.issuer,
    jti: makeUid(),
    'kubernetes.io': {
      namespace,
      ...boundTo(core, namespace, spec['boundObjectRef']),
      serviceaccount: { name, uid: account.metadata.uid ?? '' },
    },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${name}`,
  };
  return {
    type: 'object',
    code: 201,
    warnings: [],
    object: {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name, namespace, creationTimestamp: apiTime(clock.now()) },
      spec: { ...spec, audiences, expirationSeconds: seconds },
      status: { token: tokens.issue(claims), expirationTimestamp: apiTime((now + seconds) * 1000) },
    },
  };
}

const bindable: Readonly<Record<string, { readonly resource: string; readonly claim: 'pod' | 'secret' | 'node' }>> = {
  Pod: { resource: 'pods', claim: 'pod' },
  Secret: { resource: 'secrets', claim: 'secret' },
  Node: { resource: 'nodes', claim: 'node' },
};

function boundTo(core: ApiCore, namespace: string, reference: unknown): Partial<TokenClaims['kubernetes.io']> {
  if (!isMembers(reference)) return {};
  const { kind, name, uid } = reference;
  const found = own(bindable, String(kind));
  if (!found) throw badRequest(`cannot bind token for a service account to an object of the kind ${String(kind)}`);
  const of = (resource: string, each: string): ApiObject | undefined =>
    core.store.collection(resource).get(keyOf(resource === 'nodes' ? undefined : namespace, each));
  const object = of(found.resource, String(name));
  const subject = { group: '', resource: found.resource, name: String(name) };
  if (!object) throw notFound(subject);
  if (uid !== undefined && uid !== object.metadata.uid) {
    const why = `the UID in the bound object reference (${JSON.stringify(uid)}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict(subject, why);
  }
  const nodeName = found.claim === 'pod' ? membersOf(object, 'spec')['nodeName'] : undefined;
  const node = typeof nodeName === 'string' ? of('nodes', nodeName) : undefined;
  return {
    [found.claim]: { name: object.metadata.name, uid: object.metadata.uid ?? '' },
    ...(node && { node: { name: node.metadata.name, uid: node.metadata.uid ?? '' } }),
  };
}
