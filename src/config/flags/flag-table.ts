import { fieldSpecAt } from '../fields/config-fields.ts';
import { deprecatedFlagRows, noEffectFlagNames } from './deprecated-flags.ts';
import type { ValueType } from '../fields/config-schema.ts';
import type { FlagRow, FlagSpec, FlagSyntax } from './flag-schema.ts';

// prettier-ignore
const liveFlagRows: readonly FlagRow[] = [
  { name: 'config', doc: 'file with a KubeletConfiguration' },
  { name: 'config-dir', doc: 'folder of *.conf files laid over the configuration file, in the order of their names' },
  { name: 'kubeconfig', doc: 'file that says how to reach the API server; without it only static pods run' },
  { name: 'bootstrap-kubeconfig', doc: 'kubeconfig with which to ask for a client certificate' },
  { name: 'hostname-override', doc: 'name of the node, instead of the host name' },
  { name: 'node-ip', doc: 'IP address of the node, or one of each family' },
  { name: 'cert-dir', doc: 'folder of certificates' },
  { name: 'cloud-provider', doc: 'external, or nothing' },
  { name: 'root-dir', doc: 'folder for pod directories, volumes and state' },
  { name: 'seccomp-default', field: 'seccompDefault' },
  { name: 'node-labels', type: 'map<string,string>', doc: 'labels of the node when it registers' },
  { name: 'lock-file', doc: 'file that only one agent may hold' },
  { name: 'exit-on-lock-contention', type: 'bool', doc: 'end when another process wants the lock file' },
  { name: 'runtime-cgroups', doc: 'cgroup of the container runtime' },
  { name: 'image-credential-provider-config', doc: 'configuration of credential provider plugins' },
  { name: 'image-credential-provider-bin-dir', doc: 'folder of credential provider plugins' },
  { name: 'provider-id', field: 'providerID' },
  { name: 'fail-cgroupv1', field: 'failCgroupV1' },
  { name: 'v', field: 'logging.verbosity' },
  { name: 'vmodule', field: 'logging.vmodule', syntax: 'pattern=level' },
  { name: 'log-flush-frequency', field: 'logging.flushFrequency' },
  { name: 'housekeeping-interval', type: 'duration', doc: 'how often container usage is measured' },
  { name: 'max-housekeeping-interval', type: 'duration', doc: 'longest time between two measurements' },
];

function syntaxFor(type: ValueType): FlagSyntax {
  if (type.startsWith('map<')) return 'key=value';
  return type.endsWith('[]') ? 'list' : 'text';
}

function completed(row: FlagRow, deprecated: boolean): FlagSpec {
  const field = row.field === undefined ? undefined : fieldSpecAt(row.field);
  const type = field?.type ?? row.type ?? 'string';
  const inFile = row.field === undefined ? '' : ` (${row.field} in the configuration file)`;
  const doc = `${row.doc ?? field?.doc ?? ''}${inFile}`;
  return { ...row, type, syntax: row.syntax ?? syntaxFor(type), doc, deprecated };
}

/** Every flag of the kubelet except `--help` and `--version`, which belong to the command line itself. */
export const flagTable: readonly FlagSpec[] = [
  ...liveFlagRows.map((row) => completed(row, false)),
  ...deprecatedFlagRows.map((row) => completed(row, true)),
  ...noEffectFlagNames.map((name) => completed({ name, syntax: 'ignored', doc: 'no effect' }, true)),
];

const flagsByName = new Map(flagTable.map((flag) => [flag.name, flag]));

/** Returns the flag of that name, without dashes. Underscores count as dashes, as in the kubelet. */
export const flagSpec = (name: string): FlagSpec | undefined => flagsByName.get(name.replaceAll('_', '-'));

/** The flag names to suggest when a flag is unknown. */
export const flagNames: readonly string[] = [...flagsByName.keys()];
