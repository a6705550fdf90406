import type { GoField, GoTypes } from './go-types.ts';

/** The Go struct of each kind whose bodies are read. Kinds of options stand for themselves in every version. */
const KINDS: Readonly<Record<string, string>> = {
  DeleteOptions: 'DeleteOptions',
  'v1/ConfigMap': 'ConfigMap',
  'v1/Secret': 'Secret',
  'v1/Namespace': 'Namespace',
  'v1/ServiceAccount': 'ServiceAccount',
  'v1/Pod': 'Pod',
  'v1/ResourceQuota': 'ResourceQuota',
  'v1/Binding': 'Binding',
  'v1/Service': 'Service',
  'policy/v1/Eviction': 'Eviction',
  'policy/v1/PodDisruptionBudget': 'PodDisruptionBudget',
  'scheduling.k8s.io/v1/PriorityClass': 'PriorityClass',
  'rbac.authorization.k8s.io/v1/Role': 'Role',
  'rbac.authorization.k8s.io/v1/ClusterRole': 'ClusterRole',
  'rbac.authorization.k8s.io/v1/RoleBinding': 'RoleBinding',
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': 'ClusterRoleBinding',
  'authentication.k8s.io/v1/SelfSubjectReview': 'SelfSubjectReview',
  'authentication.k8s.io/v1/TokenRequest': 'TokenRequest',
  'authorization.k8s.io/v1/SelfSubjectAccessReview': 'SelfSubjectAccessReview',
  'authorization.k8s.io/v1/SelfSubjectRulesReview': 'SelfSubjectRulesReview',
  'certificates.k8s.io/v1/CertificateSigningRequest': 'CertificateSigningRequest',
};

/** Go types that are not described by their fields. */
const LEAVES: ReadonlyMap<string, string> = new Map([
  ['string', "'string'"],
  ['types.UID', "'string'"],
  ['[]byte', "'bytes'"],
  ['bool', "'bool'"],
  ['int32', "'int'"],
  ['int64', "'int'"],
  ['resource.Quantity', "'quantity'"],
  ['Time', "'time'"],
  ['intstr.IntOrString', "'int-or-string'"],
]);

/** Statuses that clients write. The server writes all others itself. */
const WRITTEN_STATUSES: ReadonlySet<string> = new Set(['NamespaceStatus', 'CertificateSigningRequestStatus']);

/** Fields that the server sets itself, and maps of lists, which have no wire type here. */
const isUnread = ({ structs }: GoTypes, { type }: GoField): boolean =>
  type.endsWith(']ManagedFieldsEntry') ||
  type.endsWith(']ExtraValue') ||
  (structs.has(type) && type.endsWith('Status') && !WRITTEN_STATUSES.has(type));

/** Returns the source text of the tables by which bodies in protobuf are read, one table for each Go struct. */
export function wireMessagesText(types: GoTypes): string {
  const tables = new Map<string, string>();
  const kinds = Object.entries(KINDS).map(([kind, struct]) => `  '${kind}': ${tableOf(types, tables, struct)},`);
  return [
    '// Made from kubernetes-types.go by `npm run -s generate`. Changes are lost.',
    "import { list, map, message, type WireMessage } from '../wire-types.ts';",
    '',
    ...tables.values(),
    '/** By `<apiVersion>/<kind>`; kinds of options by their kind alone. */',
    'export const wireMessages: Readonly<Record<string, WireMessage>> = {',
    ...kinds,
    '};',
    '',
  ].join('\n');
}

/** Adds the table of a struct, after the tables that it refers to. Returns its name. */
function tableOf(types: GoTypes, tables: Map<string, string>, struct: string): string {
  const name = `of${struct}`;
  if (tables.has(name)) return name;
  const fields = types.structs.get(struct);
  if (fields === undefined) throw new Error(`${struct} is no struct of kubernetes-types.go`);
  const lines = fields
    .filter((field) => !isUnread(types, field))
    .toSorted((one, other) => one.number - other.number)
    .map((field) => `  ${field.number}: ['${field.name}', ${wireTypeOf(types, tables, field)}],`);
  tables.set(name, `const ${name}: WireMessage = {\n${lines.join('\n')}\n};\n`);
  return name;
}

function wireTypeOf(types: GoTypes, tables: Map<string, string>, field: GoField): string {
  const of = (type: string): string => {
    const leaf = LEAVES.get(type);
    if (leaf !== undefined) return leaf;
    const [, item] = /^\[\](.+)$/.exec(type) ?? [];
    if (item !== undefined) return `list(${of(item)})`;
    const [, entry] = /^map\[\w+\](.+)$/.exec(type) ?? [];
    if (entry !== undefined) return `map(${of(entry)})`;
    const alias = types.aliases.get(type);
    return alias === undefined ? `message(${tableOf(types, tables, type)})` : of(alias);
  };
  const type = of(field.type);
  // Go's protobuf writes every value that is no pointer. JSON leaves out the empty ones.
  if (!field.omitEmpty || field.isPointer) return type;
  return type === "'int'" ? "'int-or-none'" : type === "'bool'" ? "'flag'" : type;
}
