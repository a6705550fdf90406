import { Command, Option } from 'commander';
import type { FlagSpec } from '../../config/flags/flag-schema.ts';
import { flagTable } from '../../config/flags/flag-table.ts';
import type { FlagValues } from '../../config/flags/parse-flags.ts';
import { put } from '../../kube/text/own.ts';

// Deprecated in favour of the configuration file, but still the flags that people use first.
const shown = new Set([
  'container-runtime-endpoint',
  'image-service-endpoint',
  'pod-manifest-path',
  'feature-gates',
  'max-pods',
  'logging-format',
]);

/** Adds every flag of the kubelet to the command. The configuration interprets their values. */
export function addKubeletFlags(command: Command): Command {
  for (const flag of flagTable) command.addOption(kubeletOption(flag));
  return command;
}

function kubeletOption(flag: FlagSpec): Option {
  const value = flag.type.startsWith('bool') ? ' [true|false]' : ` <${valueName(flag)}>`;
  const option = new Option(`${flag.name === 'v' ? '-v, ' : ''}--${flag.name}${value}`, flag.doc);
  option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
  return option.hideHelp(flag.deprecated && !shown.has(flag.name));
}

function valueName({ name, type }: FlagSpec): string {
  if (name === 'config' || name === 'kubeconfig' || name.endsWith('-file')) return 'file';
  if (name === 'root-dir' || name.endsWith('-dir') || name === 'pod-manifest-path') return 'folder';
  if (name.endsWith('-endpoint')) return 'socket';
  if (type.startsWith('map<')) return 'key=value,…';
  return type.startsWith('int') ? 'n' : 'value';
}

/** Returns the kubelet's flags among the options that commander has read, by their own names. */
export function kubeletFlags(command: Command): FlagValues {
  const given: Record<string, readonly string[]> = {};
  for (const flag of flagTable) {
    const value: unknown = command.getOptionValue(kubeletOption(flag).attributeName());
    if (Array.isArray(value)) put(given, flag.name, value.map(String));
    // A boolean flag without a value.
    else if (value === true) put(given, flag.name, ['true']);
  }
  return given;
}

/** The kubelet takes `--root_dir` for `--root-dir` and `-v=2` for `--v=2`; commander does not. */
export const inOurSpelling = (args: readonly string[]): readonly string[] =>
  args.map((arg) => {
    if (arg.startsWith('-v=')) return `--v=${arg.slice(3)}`;
    const [name = ''] = arg.split('=', 1);
    return arg.startsWith('--') ? name.replaceAll('_', '-') + arg.slice(name.length) : arg;
  });

/** The flags that the help does not list one by one. */
export const unlistedFlagNames: readonly string[] = flagTable
  .filter((flag) => flag.deprecated && !shown.has(flag.name) && flag.syntax !== 'ignored')
  .map((flag) => `--${flag.name}`);
