import { join } from 'node:path';
import { findNotActedOn } from './fields/acted-on.ts';
import { withDefaultEviction, withDefaults } from './fields/config-defaults.ts';
import type { HostOfConfiguration } from './check/cross-field-rules.ts';
import type { ConfigProblem } from './check/config-problem.ts';
import type { ConfigTree, ConfigValue } from './fields/config-value.ts';
import { isTree } from './fields/config-value.ts';
import type { DecodedFile } from './decode-config-file.ts';
import { decodeConfigFile } from './decode-config-file.ts';
import { decideGates } from './feature-gates.ts';
import type { KubeletConfiguration } from './fields/kubelet-configuration.ts';
import type { KubeletOptions } from './flags/kubelet-options.ts';
import type { WrittenConfig } from './merge-config.ts';
import { mergeDropIn } from './merge-config.ts';
import type { FlagValues, ParsedFlags } from './flags/parse-flags.ts';
import { applyFlags, parseFlags, withLegacyDefaults } from './flags/parse-flags.ts';
import { validateConfig } from './check/validate-config.ts';
import { messageOf } from '../kube/text/message-of.ts';

/** The file system operations that a configuration needs. Rejections become problems. */
export interface ConfigurationFiles {
  /** `by-flag`: the file is the one that the command line names; others are drop-ins. */
  readFile(path: string, named: 'by-flag' | 'in-folder'): Promise<string>;
  /** The files in a folder and in all folders below it, relative to it, in any order. Links to folders are not followed. */
  listFilesBelow(path: string): Promise<readonly string[]>;
}

export interface ConfigurationRequest {
  /** Flags also name the file and the folder (`config`, `config-dir`). */
  readonly flags: FlagValues;
  readonly files: ConfigurationFiles;
  /** Absent for tools that check a configuration apart from its host. */
  readonly host?: HostOfConfiguration;
}

export type LoadedConfiguration =
  | {
      readonly ok: true;
      readonly config: KubeletConfiguration;
      readonly options: KubeletOptions;
      /** `true` if the user's settings ask for the node's server. The kubelet's defaults alone do not count. */
      readonly asksToServe: boolean;
      /** Fields and flags that were set and have no effect here; for one line in the log. */
      readonly notActedOn: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] };

/**
 * Loads the configuration of this agent: the file, its drop-ins in name order, the defaults, and last the flags. Never
 * rejects for user errors: all problems are returned at once.
 */
export async function loadConfiguration(request: ConfigurationRequest): Promise<LoadedConfiguration> {
  const flags = parseFlags(request.flags);
  const { config: file, configDir: folder } = flags.options;
  const problems: ConfigProblem[] = [];
  let written: WrittenConfig = { tree: {}, origins: new Map() };
  const paths = file === null ? [] : [file];
  if (folder !== null) paths.push(...(await listDropIns(folder, { files: request.files, problems })));
  for (const path of paths) {
    const decoded = await readConfigFile(path, {
      files: request.files,
      named: path === file ? 'by-flag' : 'in-folder',
    });
    problems.push(...decoded.problems);
    written = mergeDropIn(written, decoded);
  }
  const hasFile = file !== null || folder !== null;
  const { host } = request;
  return settleConfiguration({
    written,
    flags,
    problems,
    hasFile,
    ...(host !== undefined && { host }),
  });
}

interface ReadConfiguration {
  readonly written: WrittenConfig;
  readonly flags: ParsedFlags;
  readonly problems: readonly ConfigProblem[];
  readonly hasFile: boolean;
  readonly host?: HostOfConfiguration;
}

/** Applies defaults, flags and rules to the files that were read. Pure. */
function settleConfiguration({ written, flags, hasFile, ...rest }: ReadConfiguration): LoadedConfiguration {
  const set = applyFlags(written, flags.overrides);
  const isOn = decideGates(gateOverrides(set.tree['featureGates']));
  const defaulted = withDefaults(written.tree, isOn);
  // The kubelet's order: flags come after the defaults, so that `--max-pods=0` is zero and `maxPods: 0` is not.
  const base = hasFile ? withDefaultEviction(defaulted, written.tree) : withLegacyDefaults(defaulted);
  const { tree, origins } = applyFlags({ tree: base, origins: written.origins }, flags.overrides);
  const { host } = rest;
  const context = host === undefined ? { isOn } : { isOn, host };
  const problems = validateConfig({ tree, origins, problems: [...rest.problems, ...flags.problems] }, context);
  if (problems.length > 0) return { ok: false, problems };
  const notActedOn = [...findNotActedOn(set.tree), ...flags.notActedOn];
  const asksToServe = set.tree['enableServer'] === true || Number(set.tree['readOnlyPort'] ?? 0) > 0;
  return { ok: true, config: asConfiguration(tree), options: flags.options, asksToServe, notActedOn };
}

/** Returns the configuration of an agent without a file, for tools that have no file. */
export function defaultConfiguration(): KubeletConfiguration {
  return asConfiguration(withDefaultEviction(withDefaults({}, decideGates({})), {}));
}

// The tables say what is filled in, and the type is made from the tables.
const asConfiguration = (tree: ConfigTree): KubeletConfiguration => tree as unknown as KubeletConfiguration;

function gateOverrides(value: ConfigValue | undefined): Readonly<Record<string, boolean>> {
  if (!isTree(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
  );
}

interface ConfigFileSource {
  readonly files: ConfigurationFiles;
  readonly named: 'by-flag' | 'in-folder';
}

async function readConfigFile(path: string, { files, named }: ConfigFileSource): Promise<DecodedFile> {
  let text: string;
  try {
    text = await files.readFile(path, named);
  } catch (error) {
    const expected = `a file that can be read (${messageOf(error)})`;
    return { tree: {}, origins: new Map(), problems: [{ code: 'unreadable', source: path, path: '', expected }] };
  }
  return decodeConfigFile(path, text);
}

async function listDropIns(
  folder: string,
  { files, problems }: { readonly files: ConfigurationFiles; readonly problems: ConfigProblem[] },
): Promise<readonly string[]> {
  try {
    const names = await files.listFilesBelow(folder);
    const dropIns = names.filter((name) => name.endsWith('.conf')).map((name) => name.split('/'));
    return dropIns.toSorted(byPath).map((name) => join(folder, ...name));
  } catch (error) {
    const expected = `a folder that can be read (${messageOf(error)})`;
    problems.push({ code: 'unreadable', source: folder, path: '', expected });
    return [];
  }
}

/** Orders files as a walk meets them (Go: filepath.WalkDir): each folder by name, and a folder's files at its place. */
function byPath(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((segment, index) => segment !== other[index]);
  const [ours = '', theirs = ''] = [one[at], other[at]];
  return ours < theirs ? -1 : Number(ours > theirs);
}
