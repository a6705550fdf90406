import { own, type Keyed } from '../../kube/text/own.ts';
import type { PodSpec } from '../../kube/pod.ts';

/** The properties of a node that pods may select by. */
export interface NodeLabels {
  readonly name: string;
  readonly labels: Keyed<string>;
}

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}
interface SelectorTerm {
  readonly matchExpressions?: readonly Requirement[];
  readonly matchFields?: readonly Requirement[];
}

/**
 * `true` if `nodeSelector` and the required node affinity of a pod match the node. Preferences are left to the
 * scheduler (concept: assigning pods to nodes).
 */
export function matchesNode({ nodeSelector, affinity }: PodSpec, node: NodeLabels): boolean {
  for (const [key, value] of Object.entries(nodeSelector ?? {})) if (own(node.labels, key) !== value) return false;
  const terms = requiredTerms(affinity);
  return terms === undefined || terms.some((term) => matchesTerm(term, node));
}

interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly SelectorTerm[] };
  };
}

/** `undefined` when the affinity requires nothing. */
function requiredTerms(affinity: unknown): readonly SelectorTerm[] | undefined {
  // The API server has checked the shape. An affinity of any other shape requires nothing.
  const required = (affinity as Affinity | undefined)?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined ? undefined : (required.nodeSelectorTerms ?? []);
}

/** A term without any requirement matches no node. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: SelectorTerm, { name, labels }: NodeLabels): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => isMet(requirement, own(labels, requirement.key ?? ''))) &&
    matchFields.every((requirement) => isMet(requirement, requirement.key === 'metadata.name' ? name : undefined))
  );
}

function isMet({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return compare(value, values[0], (one, other) => one > other);
    case 'Lt':
      return compare(value, values[0], (one, other) => one < other);
    default:
      return false;
  }
}

function compare(
  value: string | undefined,
  limit: string | undefined,
  holds: (one: bigint, other: bigint) => boolean,
): boolean {
  const isInteger = /^[+-]?\d+$/;
  if (value === undefined || limit === undefined || !isInteger.test(value) || !isInteger.test(limit)) return false;
  return holds(BigInt(value), BigInt(limit));
}
