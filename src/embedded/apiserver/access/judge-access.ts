import type { ApiUser } from '../store/api-kind.ts';

/** One of the things that a role allows. A list with `*` in it is a list of all. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  /** `pods`, `pods/log`, or a star and `/log` for the logs of whatever has them. */
  readonly resources?: readonly string[];
  /** Empty: whatever its name. */
  readonly resourceNames?: readonly string[];
  /** Paths that are no resources; one that ends in `*` stands for all that begin so. */
  readonly nonResourceURLs?: readonly string[];
}

export interface Role {
  readonly name: string;
  /** Undefined: of the cluster. */
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
  /** Undefined: everywhere. */
  readonly namespace: string | undefined;
  readonly role: { readonly kind: string; readonly name: string };
  readonly subjects: readonly Subject[];
}

export interface Policy {
  /** The role of that name; of a namespace, or of the cluster. */
  readonly role: (namespace: string | undefined, name: string) => Role | undefined;
  readonly bindings: () => Iterable<RoleBinding>;
}

/** What somebody is about to do. */
export type AccessAsked =
  | {
      readonly type: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      /** Empty: of all namespaces, or of none. */
      readonly namespace: string;
      /** Empty: of no one object in particular. */
      readonly name: string;
    }
  | { readonly type: 'path'; readonly verb: string; readonly path: string };

/** These may do everything, whatever the roles say: else nobody could mend roles that shut everybody out. */
export const MASTERS = 'system:masters';

/**
 * Why somebody may do it; undefined: nothing says so, and what nothing allows is refused (RBAC authorization of Kubernetes:
 * rights add up, and there are no rules that take one away).
 */
export function reasonToAllow(policy: Policy, user: ApiUser, asked: AccessAsked): string | undefined {
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

/** Everything that somebody may do in a namespace. */
export function rulesOf(policy: Policy, user: ApiUser, namespace: string): readonly PolicyRule[] {
  const all = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
  if (user.groups.includes(MASTERS)) return [...all, { verbs: ['*'], nonResourceURLs: ['*'] }];
  return [...grantsOf(policy, user, namespace)].flatMap(({ role }) => role.rules);
}

function* grantsOf(policy: Policy, user: ApiUser, namespace: string) {
  for (const binding of policy.bindings()) {
    if (binding.namespace !== undefined && binding.namespace !== namespace) continue;
    if (!binding.subjects.some((subject) => isMeant(subject, user))) continue;
    // A role that is not there (yet) allows nothing.
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

/** Whether a rule allows it. */
export function covers(rule: PolicyRule, asked: AccessAsked): boolean {
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
