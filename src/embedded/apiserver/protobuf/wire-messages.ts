import type { ApiField, ApiMessages } from './api-messages.ts';

/** The message of each kind whose bodies are read. Kinds of options stand for themselves in every version. */
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

/** Statuses that clients write. The server writes all others itself. */
const WRITTEN_STATUSES: ReadonlySet<string> = new Set(['NamespaceStatus', 'CertificateSigningRequestStatus']);

/** Fields that the server sets itself, and maps of lists, which have no wire type here. */
const isUnread = (messages: ApiMessages, { type }: ApiField): boolean =>
  type === 'list ManagedFieldsEntry' ||
  type.startsWith('map list ') ||
  (messages.has(type) && type.endsWith('Status') && !WRITTEN_STATUSES.has(type));

/** Returns the source text of the tables by which bodies in protobuf are read, one table for each message. */
export function wireMessagesText(messages: ApiMessages): string {
  const tables = new Map<string, string>();
  const kinds = Object.entries(KINDS).map(([kind, name]) => `  '${kind}': ${tableOf(messages, tables, name)},`);
  return [
    '// Made from api-messages.txt by `npm run -s generate`. Changes are lost.',
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

/** Adds the table of a message, after the tables that it refers to. Returns its name. */
function tableOf(messages: ApiMessages, tables: Map<string, string>, of: string): string {
  const name = `of${of}`;
  if (tables.has(name)) return name;
  const fields = messages.get(of);
  if (fields === undefined) throw new Error(`api-messages.txt has no message ${of}`);
  const lines = fields
    .filter((field) => !isUnread(messages, field))
    .map(({ number, name: member, type }) => `  ${number}: ['${member}', ${wireType(messages, tables, type)}],`);
  tables.set(name, `const ${name}: WireMessage = {\n${lines.join('\n')}\n};\n`);
  return name;
}

function wireType(messages: ApiMessages, tables: Map<string, string>, type: string): string {
  const [, container, item] = /^(list|map) (.+)$/.exec(type) ?? [];
  if (container !== undefined && item !== undefined) return `${container}(${wireType(messages, tables, item)})`;
  return LEAVES.has(type) ? `'${type}'` : `message(${tableOf(messages, tables, type)})`;
}

/** The types of fields that are no messages. */
const LEAVES: ReadonlySet<string> = new Set([
  'string',
  'bytes',
  'bool',
  'flag',
  'int',
  'int-or-none',
  'quantity',
  'time',
  'int-or-string',
]);
