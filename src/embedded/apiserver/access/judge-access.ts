import type { ApiUser } from '../store/api-kind.ts';

/** One rule of a role. A list that contains `*` means all. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  /** `pods`, `pods/log`, or a star and `/log` for the logs of every resource with logs. */
  readonly resources?: readonly string[];
  /** Empty for any name. */
  readonly resourceNames?: readonly string[];
  /** Paths that are not resources; a path that ends in `*` matches all with that prefix. */
  readonly nonResourceURLs?: readonly string[];
}

export interface Role {
  readonly name: string;
  /** `undefined` for a ClusterRole. */
  readonly namespace: string | undefined;
  readonly rules: readonly PolicyRule[];
}

export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

export interface RoleBinding {
  readonly name: string;
  /** `undefined` for all namespaces. */
  readonly namespace: string | undefined;
  readonly role: { readonly kind: string; readonly name: string };
  readonly subjects: readonly Subject[];
}

export interface Policy {
  /** Returns the role of that name, of a namespace or of the cluster. */
  readonly role: (namespace: string | undefined, name: string) => Role | undefined;
  readonly bindings: () => Iterable<RoleBinding>;
}

/** The action of a request. */
export type RequestedAccess =
  | {
      readonly type: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      /** Empty for all namespaces, or none. */
      readonly namespace: string;
      /** Empty when no single object is named. */
      readonly name: string;
    }
  | { readonly type: 'path'; readonly verb: string; readonly path: string };

/**
 * Members of this group may do everything, even without a role. Otherwise no user could repair roles that deny
 * everything.
 */
export const MASTERS = 'system:masters';

/**
 * Returns why the user may do it. `undefined` when no role allows it, which means refusal. (RBAC authorization of
 * Kubernetes: rights add up, and no rule takes one away.)
 */
export function reasonToAllow(policy: Policy, user: ApiUser, asked: RequestedAccess): string | undefined {
  if (user.groups.includes(MASTERS)) return `RBAC: allowed for group "${MASTERS}"`;
  const namespace = asked.type === 'resource' ? asked.namespace : '';
  for (const { binding, role } of grantsOf(policy, user, namespace)) {
    if (role.rules.some((rule) => covers(rule, asked))) {
      const kind = binding.namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
      return `RBAC: allowed by ${kind} "${binding.name}" of ${binding.role.kind} "${role.name}" to ${user.username}`;
    }
  }
  return undefined;
}

/** Returns all rules of the user in a namespace. */
export function rulesOf(policy: Policy, user: ApiUser, namespace: string): readonly PolicyRule[] {
  const all = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
  if (user.groups.includes(MASTERS)) return [...all, { verbs: ['*'], nonResourceURLs: ['*'] }];
  return [...grantsOf(policy, user, namespace)].flatMap(({ role }) => role.rules);
}

function* grantsOf(policy: Policy, user: ApiUser, namespace: string) {
  for (const binding of policy.bindings()) {
    if (binding.namespace !== undefined && binding.namespace !== namespace) continue;
    if (!binding.subjects.some((subject) => isMeant(subject, user))) continue;
    // A role that does not exist (yet) allows nothing.
    const role = policy.role(binding.role.kind === 'Role' ? binding.namespace : undefined, binding.role.name);
    if (role) yield { binding, role };
  }
}

function isMeant({ kind, name, namespace }: Subject, { username, groups }: ApiUser): boolean {
  switch (kind) {
    case 'User':
      return name === username;
    case 'Group':
      return groups.includes(name);
    case 'ServiceAccount':
      return username === `system:serviceaccount:${namespace ?? ''}:${name}`;
    default:
      return false;
  }
}

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list?.some((each) => each === '*' || each === value) ?? false;

/** `true` if a rule allows the action. */
export function covers(rule: PolicyRule, asked: RequestedAccess): boolean {
  if (!has(rule.verbs, asked.verb)) return false;
  if (asked.type === 'path') {
    return rule.nonResourceURLs?.some((url) => matchesPath(url, asked.path)) ?? false;
  }
  const { group, resource, subresource, name } = asked;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  const isResource = has(rule.resources, whole) || (subresource !== '' && has(rule.resources, `*/${subresource}`));
  const names = rule.resourceNames ?? [];
  return has(rule.apiGroups, group) && isResource && (names.length === 0 || names.includes(name));
}

const matchesPath = (url: string, path: string): boolean =>
  url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
