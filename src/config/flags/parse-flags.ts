import type { ConfigProblem, Origin } from '../check/config-problem.ts';
import { problemAt } from '../check/config-problem.ts';
import type { ConfigTree, ConfigValue } from '../fields/config-value.ts';
import { isTree, isWithin, valueAt, withValueAt } from '../fields/config-value.ts';
import { suggestion } from './did-you-mean.ts';
import { flagNames, flagSpec, flagTable } from './flag-table.ts';
import { readFlag } from './flag-syntax.ts';
import type { KubeletOptions } from './kubelet-options.ts';
import { defaultOptions, withOption } from './kubelet-options.ts';
import type { WrittenConfig } from '../merge-config.ts';

/** Flags as a command line gives them, by name without dashes: text, several texts, or `true` for a flag without a value. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly string[]>>;

/** A field that a flag sets. */
export interface ConfigOverride {
  readonly field: string;
  readonly value: ConfigValue;
  readonly origin: Origin;
}

export interface ParsedFlags {
  readonly overrides: readonly ConfigOverride[];
  readonly options: KubeletOptions;
  /** Flags, with their dashes, that were given and that this agent ignores. */
  readonly notActedOn: readonly string[];
  readonly problems: readonly ConfigProblem[];
}

/** Reads the flags. Their errors are returned as problems, one per flag. */
export function parseFlags(values: FlagValues): ParsedFlags {
  let options = defaultOptions;
  const overrides: ConfigOverride[] = [];
  const notActedOn: string[] = [];
  const problems: ConfigProblem[] = [];
  for (const [name, given] of Object.entries(values)) {
    const flag = flagSpec(name);
    const texts = Array.isArray(given) ? given.map(String) : [String(given)];
    const origin = { source: `--${flag?.name ?? name}`, written: texts.join(',') };
    if (flag === undefined) {
      const expected = `a flag of the kubelet${suggestion(name, flagNames)}`;
      problems.push(problemAt(origin, { code: 'unknown-flag', path: '', expected }));
      continue;
    }
    const path = flag.field ?? '';
    const read = readFlag(flag, texts);
    if (!read.ok) {
      problems.push(problemAt(origin, { code: 'wrong-type', path, expected: read.expected }));
    } else if (flag.field !== undefined) {
      overrides.push({ field: flag.field, value: read.value, origin });
    } else {
      const result = withOption(options, flag.name, read.value);
      if (result === undefined) notActedOn.push(origin.source);
      else if (result.ok) options = result.options;
      else problems.push(problemAt(origin, { code: 'invalid-value', path, expected: result.expected }));
    }
  }
  if (options.exitOnLockContention && options.lockFile === null) {
    const origin = { source: '--exit-on-lock-contention', written: 'true' };
    problems.push(problemAt(origin, { code: 'conflict', path: '', expected: 'false, unless --lock-file is given' }));
  }
  return { overrides, options, notActedOn, problems };
}

/**
 * Returns the configuration with the flags applied: they win over every file. Only feature gates are merged one by one.
 */
export function applyFlags(config: WrittenConfig, overrides: readonly ConfigOverride[]): WrittenConfig {
  let { tree } = config;
  const origins = new Map(config.origins);
  for (const { field, value, origin } of overrides) {
    const before = valueAt(tree, field);
    const merges = field === 'featureGates' && isTree(before) && isTree(value);
    if (!merges) for (const path of config.origins.keys()) if (isWithin(path, field)) origins.delete(path);
    tree = withValueAt(tree, field, merges ? { ...before, ...value } : value);
    origins.set(field, origin);
    if (isTree(value)) for (const key of Object.keys(value)) origins.set(`${field}[${JSON.stringify(key)}]`, origin);
  }
  return { tree, origins };
}

/** Sets the few fields that have other, more open defaults on an agent with flags but no configuration file. */
export function withLegacyDefaults(tree: ConfigTree): ConfigTree {
  let next = tree;
  for (const { field, legacyDefault } of flagTable) {
    if (field !== undefined && legacyDefault !== undefined) next = withValueAt(next, field, legacyDefault);
  }
  return next;
}
