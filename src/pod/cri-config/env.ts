import { type Keyed, entriesOf as entriesIn, own } from '../../kube/text/own.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';
import type { Container, EnvVar, EnvVarSource, Pod } from '../../kube/pod.ts';
import { isStaticPod } from '../../kube/manifest/static-pod.ts';
import { configError } from './config-outcome.ts';
import type { ConfigError } from './config-outcome.ts';
import type { ConfigSources, Lookup } from './config-sources.ts';
import { parseEnvFile } from './env-file.ts';
import { expandVariables } from './expand-variables.ts';
import { podField } from './pod-field.ts';
import { resourceField } from './resource-field.ts';
import { serviceEnv } from './service-env.ts';

export interface EnvInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly podIps: readonly string[];
  /** The addresses of the node, the primary family first. Empty when they are not known. */
  readonly hostIps: readonly string[];
  readonly node: NodeFacts;
  readonly sources: ConfigSources;
  /** Returns the host path at which the named volume is mounted for the pod. */
  readonly volumePath: (name: string) => string | undefined;
}

export type EnvOutcome = { readonly ok: true; readonly variables: ReadonlyMap<string, string> } | ConfigError;

/** One variable's value; `undefined` omits the variable (an optional reference to a missing object). */
type Value = { readonly ok: true; readonly value: string | undefined } | ConfigError;

const NONE: Value = { ok: true, value: undefined };

/**
 * Returns the environment of a container: `envFrom` in order, overridden by `env` in order. The variables of services
 * come below both. A reference `$(NAME)` sees the variables defined before it, then the services.
 */
export function containerEnv(input: EnvInput): EnvOutcome {
  const { pod, container, sources } = input;
  const services = sources.services();
  if ((services.type === 'missing' || services.type === 'unavailable') && !isStaticPod(pod)) {
    return configError('services have not yet been read at least once, cannot construct envvars');
  }
  const fromServices = serviceEnv(services.type === 'found' ? services.value : [], {
    namespace: pod.metadata.namespace,
    enableServiceLinks: pod.spec.enableServiceLinks ?? true,
  });

  const variables = new Map<string, string>();
  for (const from of container.envFrom ?? []) {
    const entries = objectEntries(input, from);
    if (!entries.ok) return entries;
    for (const [key, value] of entriesIn(entries.data)) variables.set(`${from.prefix ?? ''}${key}`, value);
  }
  const valueOf = (name: string): string | undefined => variables.get(name) ?? fromServices.get(name);
  for (const variable of container.env ?? []) {
    const value = variableValue(input, variable, valueOf);
    if (!value.ok) return value;
    if (value.value !== undefined) variables.set(variable.name, value.value);
  }
  for (const [name, value] of fromServices) if (!variables.has(name)) variables.set(name, value);
  return { ok: true, variables };
}

function variableValue(input: EnvInput, variable: EnvVar, valueOf: (name: string) => string | undefined): Value {
  if (variable.value) return { ok: true, value: expandVariables(variable.value, valueOf) };
  if (variable.valueFrom === undefined) return { ok: true, value: '' };
  return referredValue(input, variable.valueFrom);
}

const OF_HOST = new Set(['status.hostIP', 'status.hostIPs']);
const NO_HOST_IP = 'host IP unknown: this node has no InternalIP and no ExternalIP';

function referredValue(input: EnvInput, from: EnvVarSource): Value {
  if (from.fieldRef !== undefined) {
    const { fieldPath } = from.fieldRef;
    if (OF_HOST.has(fieldPath) && input.hostIps.length === 0) return configError(NO_HOST_IP);
    const value = podField(input, fieldPath);
    return value === undefined ? configError(`unsupported fieldPath: ${fieldPath}`) : { ok: true, value };
  }
  if (from.resourceFieldRef !== undefined) {
    const field = resourceField(input, from.resourceFieldRef);
    return field.ok ? field : configError(field.message);
  }
  if (from.configMapKeyRef !== undefined) return keyOfObject(input, 'ConfigMap', from.configMapKeyRef);
  if (from.secretKeyRef !== undefined) return keyOfObject(input, 'Secret', from.secretKeyRef);
  if (from.fileKeyRef !== undefined) return keyOfFile(input, from.fileKeyRef);
  return { ok: true, value: '' };
}

type Entries = { readonly ok: true; readonly data: Keyed<string> | undefined } | ConfigError;
type ObjectKind = 'ConfigMap' | 'Secret';

function entriesOf(kind: ObjectKind, name: string, answer: Lookup<Keyed<string>>): Entries {
  if (answer.type === 'found') return { ok: true, data: answer.value };
  if (answer.type === 'unavailable') return configError(answer.message);
  const object = `${kind.toLowerCase()} "${name}"`;
  if (answer.type === 'missing') return configError(`${object} not found`);
  return configError(`${object} cannot be read: this node runs without an API server`);
}

/** `true` if the object does not exist, which an optional reference accepts. */
const isNothing = ({ type }: Lookup<unknown>): boolean => type === 'missing' || type === 'not-supported';

function lookUp({ pod, sources }: EnvInput, kind: ObjectKind, name: string): Lookup<Keyed<string>> {
  const object = { namespace: pod.metadata.namespace, name };
  return kind === 'ConfigMap' ? sources.configMap(object) : sources.secret(object);
}

function objectEntries(input: EnvInput, from: NonNullable<Container['envFrom']>[number]): Entries {
  const kind = from.configMapRef !== undefined ? 'ConfigMap' : 'Secret';
  const ref = from.configMapRef ?? from.secretRef;
  if (ref === undefined) return { ok: true, data: undefined };
  const answer = lookUp(input, kind, ref.name ?? '');
  if (isNothing(answer) && ref.optional === true) return { ok: true, data: undefined };
  return entriesOf(kind, ref.name ?? '', answer);
}

function keyOfObject(input: EnvInput, kind: ObjectKind, ref: NonNullable<EnvVarSource['secretKeyRef']>): Value {
  const name = ref.name ?? '';
  const answer = lookUp(input, kind, name);
  if (isNothing(answer) && ref.optional === true) return NONE;
  const entries = entriesOf(kind, name, answer);
  if (!entries.ok) return entries;
  const value = own(entries.data, ref.key);
  if (value !== undefined) return { ok: true, value };
  if (ref.optional === true) return NONE;
  return configError(`couldn't find key ${ref.key} in ${kind} ${input.pod.metadata.namespace}/${name}`);
}

/** A missing file is an error even if the key is optional. Only the key within the file may be missing. */
function keyOfFile(input: EnvInput, ref: NonNullable<EnvVarSource['fileKeyRef']>): Value {
  const volumeHostPath = input.volumePath(ref.volumeName);
  if (volumeHostPath === undefined)
    return configError(`cannot find the volume "${ref.volumeName}" referenced by FileKeyRef`);
  const answer = input.sources.volumeFile({ volumeHostPath, path: ref.path });
  const file = answer.type === 'found' ? parseEnvFile(answer.value) : undefined;
  if (file === undefined || !file.ok) return configError("couldn't parse env file");
  const value = file.variables.get(ref.key);
  // An empty value counts as missing.
  if (value) return { ok: true, value };
  if (ref.optional === true) return NONE;
  return configError(
    `environment variable key ${JSON.stringify(ref.key)} not found in file ${JSON.stringify(ref.path)}`,
  );
}
