import type { ApiUser, KindContext } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { forbidden, notFound, type Refusal } from '../store/refusal.ts';
import { ACCESS_GROUP } from './access-group.ts';
import { type RequestedAccess, covers, type Policy, type PolicyRule, reasonToAllow, rulesOf } from './judge-access.ts';
import { bindingOf, policyFrom, roleOf } from './stored-policy.ts';

/**
 * A user may grant only rights that he has (RBAC: privilege escalation prevention), unless he may `escalate` the
 * role.
 */
export function refuseRole(role: ApiObject, { user, ...context }: KindContext): void {
  const policy = policyFrom(context);
  const { name, namespace } = role.metadata;
  const resource = namespace === undefined ? 'clusterroles' : 'roles';
  if (may(policy, user, { verb: 'escalate', resource, namespace, name })) return;
  // The rules of an aggregated role depend on roles that other users may write.
  const rules = role['aggregationRule'] === undefined ? roleOf(role).rules : EVERYTHING;
  const lacking = lackingRules(rules, rulesOf(policy, user, namespace ?? ''));
  if (lacking.length > 0) throw escalation(user, { group: ACCESS_GROUP, resource, name }, lacking);
}

/** A user may bind only roles whose rights he has, unless he may `bind` the role. */
export function refuseBinding(binding: ApiObject, { user, ...context }: KindContext): void {
  const policy = policyFrom(context);
  const { namespace, role: ref, name } = bindingOf(binding);
  const resource = ref.kind === 'Role' ? 'roles' : 'clusterroles';
  if (may(policy, user, { verb: 'bind', resource, namespace, name: ref.name })) return;
  const role = policy.role(ref.kind === 'Role' ? namespace : undefined, ref.name);
  if (role === undefined) throw notFound({ group: ACCESS_GROUP, resource, name: ref.name });
  const lacking = lackingRules(role.rules, rulesOf(policy, user, namespace ?? ''));
  const subject = {
    group: ACCESS_GROUP,
    resource: namespace === undefined ? 'clusterrolebindings' : 'rolebindings',
    name,
  };
  if (lacking.length > 0) throw escalation(user, subject, lacking);
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

interface RequestedRole {
  readonly verb: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

const may = (policy: Policy, user: ApiUser, { namespace = '', ...asked }: RequestedRole): boolean =>
  reasonToAllow(policy, user, { type: 'resource', group: ACCESS_GROUP, subresource: '', namespace, ...asked }) !==
  undefined;

/** Returns the parts of the rules that `owned` rules do not cover. */
export const lackingRules = (rules: readonly PolicyRule[], owned: readonly PolicyRule[]): readonly PolicyRule[] =>
  rules.filter((rule) => !partsOf(rule).every((part) => owned.some((each) => covers(each, part))));

/** Splits a rule into one part for each verb and thing. A star is a thing of its own: only another star covers it. */
function partsOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): readonly RequestedAccess[] {
  const names = resourceNames.length === 0 ? [''] : resourceNames;
  return verbs.flatMap((verb) => [
    ...nonResourceURLs.map((path) => ({ type: 'path', verb, path }) as const),
    ...apiGroups.flatMap((group) =>
      resources.flatMap((each) => {
        const [resource = '', subresource = ''] = each.split('/', 2);
        return names.map(
          (name) => ({ type: 'resource', verb, group, resource, subresource, namespace: '', name }) as const,
        );
      }),
    ),
  ]);
}

function escalation(
  { username, groups }: ApiUser,
  subject: { readonly group: string; readonly resource: string; readonly name: string },
  lacking: readonly PolicyRule[],
): Refusal {
  const who = `user ${JSON.stringify(username)} (groups=${JSON.stringify(groups)})`;
  const rules = lacking.map((rule) => JSON.stringify(rule)).join('\n');
  return forbidden(subject, `${who} is attempting to grant RBAC permissions not currently held:\n${rules}`);
}
