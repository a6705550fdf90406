import { own } from '../../../kube/text/own.ts';
import { type RequestedAccess, rulesOf } from '../access/judge-access.ts';
import { reasonToAccess } from '../access/may-access.ts';
import { policyFrom } from '../access/stored-policy.ts';
import type { ApiUser } from '../store/api-kind.ts';
import { isMembers, membersOf, textOf } from '../store/api-object.ts';
import type { CoreAnswer, CoreCall, CoreOperations } from '../store/core-contract.ts';
import { invalidValue } from '../store/field-causes.ts';
import { keyOf, storedIn } from '../store/object-store.ts';
import { badRequest, invalid, methodNotAllowed } from '../store/refusal.ts';
import { userOf } from './token-issuer.ts';

/** Reviews: questions asked by creating an object that is not stored. */
export const reviewKinds: Readonly<Record<string, { readonly kind: string; readonly namespaced: boolean }>> = {
  'authentication.k8s.io/v1/tokenreviews': { kind: 'TokenReview', namespaced: false },
  'authentication.k8s.io/v1/selfsubjectreviews': { kind: 'SelfSubjectReview', namespaced: false },
  'authorization.k8s.io/v1/subjectaccessreviews': { kind: 'SubjectAccessReview', namespaced: false },
  'authorization.k8s.io/v1/selfsubjectaccessreviews': { kind: 'SelfSubjectAccessReview', namespaced: false },
  'authorization.k8s.io/v1/localsubjectaccessreviews': { kind: 'LocalSubjectAccessReview', namespaced: true },
  'authorization.k8s.io/v1/selfsubjectrulesreviews': { kind: 'SelfSubjectRulesReview', namespaced: false },
};

/** Answers a review. Returns `undefined` when the request is not a review. */
export function answerReview(core: CoreOperations, { request, path, context }: CoreCall): CoreAnswer | undefined {
  const review = own(reviewKinds, `${path.group}/${path.version}/${path.resource}`);
  if (!review) return undefined;
  if (request.method !== 'POST' || path.name !== undefined) throw methodNotAllowed();
  const spec = membersOf(request.body, 'spec');
  refuseUnanswerable(review.kind, path.group, spec);
  if (review.namespaced && textOf(membersOf(spec, 'resourceAttributes')['namespace']) !== path.namespace) {
    const why = 'must match metadata.namespace';
    throw invalid({ group: path.group, kind: review.kind, name: '' }, [
      invalidValue('spec.resourceAttributes.namespace', path.namespace, why),
    ]);
  }
  const status = statusOf(core, review.kind, { spec, user: context.user });
  return {
    type: 'object',
    code: 201,
    warnings: [],
    object: { kind: review.kind, apiVersion: `${path.group}/${path.version}`, metadata: {}, spec, status },
  };
}

/** A review without a user has no answer. Throws a `Refusal`. */
function refuseUnanswerable(kind: string, group: string, spec: Readonly<Record<string, unknown>>): void {
  if (kind === 'TokenReview' && textOf(spec['token']) === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  if (kind !== 'SubjectAccessReview' && kind !== 'LocalSubjectAccessReview') return;
  const groups = spec['groups'];
  if (textOf(spec['user']) !== '' || (Array.isArray(groups) && groups.length > 0)) return;
  throw invalid({ group, kind: '', name: '' }, [
    invalidValue('spec.user', '', 'at least one of user or group must be specified'),
  ]);
}

function statusOf(
  core: CoreOperations,
  kind: string,
  { spec, user }: { readonly spec: Readonly<Record<string, unknown>>; readonly user: ApiUser },
): object {
  switch (kind) {
    case 'TokenReview':
      return reviewToken(core, textOf(spec['token']), spec['audiences']);
    case 'SelfSubjectReview':
      return { userInfo: user };
    case 'SelfSubjectRulesReview':
      return rulesReview(core, user, textOf(spec['namespace']));
    case 'SelfSubjectAccessReview':
      return accessReview(core, user, spec);
    default:
      return accessReview(core, subjectOf(spec), spec);
  }
}

function accessReview(core: CoreOperations, user: ApiUser, spec: Readonly<Record<string, unknown>>): object {
  const reason = reasonToAccess(storedIn(core.store), user, askedOf(spec));
  return reason === undefined ? { allowed: false } : { allowed: true, reason };
}

const subjectOf = ({ user, groups }: Readonly<Record<string, unknown>>): ApiUser => ({
  username: textOf(user),
  groups: Array.isArray(groups) ? groups.map(String) : [],
});

function askedOf(spec: Readonly<Record<string, unknown>>): RequestedAccess {
  if (isMembers(spec['nonResourceAttributes'])) {
    const { verb, path } = spec['nonResourceAttributes'];
    return { type: 'path', verb: textOf(verb), path: textOf(path) };
  }
  const { verb, group, resource, subresource, namespace, name } = membersOf(spec, 'resourceAttributes');
  return {
    type: 'resource',
    verb: textOf(verb),
    group: textOf(group),
    resource: textOf(resource),
    subresource: textOf(subresource),
    namespace: textOf(namespace),
    name: textOf(name),
  };
}

function rulesReview(core: CoreOperations, user: ApiUser, namespace: string): object {
  const rules = rulesOf(policyFrom(storedIn(core.store)), user, namespace);
  const ofPaths = (rule: (typeof rules)[number]): boolean => rule.nonResourceURLs !== undefined;
  return {
    resourceRules: rules.filter((rule) => !ofPaths(rule)),
    nonResourceRules: rules.filter(ofPaths),
    incomplete: false,
  };
}

function reviewToken(core: CoreOperations, token: string, audiences: unknown): object {
  const user = authenticateToken(core, token);
  if (!user) return { user: {}, error: '[invalid bearer token]' };
  const asked = Array.isArray(audiences) && audiences.length > 0 ? audiences.map(String) : [core.options.tokens.issuer];
  const has = core.options.tokens.read(token)?.aud ?? [];
  const shared = asked.filter((audience) => has.includes(audience));
  if (shared.length === 0) return { user: {}, error: '[token audiences are not among those asked for]' };
  return { authenticated: true, user, audiences: shared };
}

/** Returns the user of a service account token. The token must be valid now, and its bound object must still exist. */
export function authenticateToken(core: CoreOperations, token: string): ApiUser | undefined {
  const claims = core.options.tokens.read(token);
  const now = core.options.clock.now() / 1000;
  if (!claims || claims.exp <= now || claims.nbf > now + 60) return undefined;
  const { namespace, serviceaccount, pod } = claims['kubernetes.io'];
  const isThere = (resource: string, { name, uid }: { readonly name: string; readonly uid: string }): boolean =>
    core.store.collection(resource).get(keyOf(namespace, name))?.metadata.uid === uid;
  if (!isThere('serviceaccounts', serviceaccount) || (pod && !isThere('pods', pod))) return undefined;
  return userOf(claims);
}
