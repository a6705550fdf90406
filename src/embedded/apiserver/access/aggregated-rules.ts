import { isDeepStrictEqual } from 'node:util';
import { own } from '../../../kube/text/own.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf } from '../store/api-object.ts';

/**
 * Returns the rules of an aggregated ClusterRole, collected from other roles by their labels. `undefined` when the
 * role is not aggregated, or has these rules already. `roles`: all ClusterRoles.
 */
export function newlyAggregated(role: ApiObject, roles: readonly ApiObject[]): readonly unknown[] | undefined {
  if (!isMembers(role['aggregationRule'])) return undefined;
  const selectors = membersOf(role, 'aggregationRule')['clusterRoleSelectors'];
  const chosen = roles
    .filter((each) => each.metadata.name !== role.metadata.name)
    .filter(({ metadata }) => asList(selectors).some((each) => chooses(each, metadata.labels)))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules: unknown[] = [];
  for (const rule of chosen.flatMap((each) => asList(each['rules']))) {
    if (!rules.some((known) => isDeepStrictEqual(known, rule))) rules.push(rule);
  }
  return isDeepStrictEqual(rules, asList(role['rules'])) ? undefined : rules;
}

const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/**
 * All requirements of a selector must hold; an empty selector matches everything (LabelSelector of the Kubernetes
 * API).
 */
function chooses(selector: unknown, labels: Readonly<Record<string, string>> = {}): boolean {
  const matches = Object.entries(membersOf(selector, 'matchLabels'));
  if (!matches.every(([key, value]) => own(labels, key) === value)) return false;
  const expressions = isMembers(selector) ? asList(selector['matchExpressions']) : [];
  return expressions.every((expression) => isMembers(expression) && holds(expression, labels));
}

function holds(
  { key, operator, values }: Readonly<Record<string, unknown>>,
  labels: Readonly<Record<string, string>>,
): boolean {
  const label = own(labels, String(key));
  switch (operator) {
    case 'In':
      return label !== undefined && asList(values).includes(label);
    case 'NotIn':
      return label === undefined || !asList(values).includes(label);
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    default:
      return false;
  }
}
