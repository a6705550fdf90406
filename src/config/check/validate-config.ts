import type { ConfigProblem, ConfigProblemCode, Origin, Origins } from './config-problem.ts';
import { isReported, problemAt } from './config-problem.ts';
import type { ConfigTree } from '../fields/config-value.ts';
import { entryPath, isTree, isWithin, valueAt } from '../fields/config-value.ts';
import type { CrossFieldRule, RuleContext } from './cross-field-rules.ts';
import { crossFieldRules } from './cross-field-rules.ts';
import { suggestion } from '../flags/did-you-mean.ts';
import { gateSpec, knownGateNames, stageWideGates } from '../feature-gates.ts';
import type { KubeletConfiguration } from '../fields/kubelet-configuration.ts';
import type { FieldViolation } from './validate-fields.ts';
import { findBrokenFields } from './validate-fields.ts';

export interface ConfigToValidate {
  /** Every field filled in. */
  readonly tree: ConfigTree;
  readonly origins: Origins;
  /** Problems found before. Fields named here are not reported twice. */
  readonly problems: readonly ConfigProblem[];
}

/** The most problems in one report. Each problem is compared with those before it. */
export const MOST_PROBLEMS = 200;

/**
 * Applies every rule of the kubelet about values, each violation once. Returns these problems and the earlier ones, up
 * to `MOST_PROBLEMS`.
 */
export function validateConfig(given: ConfigToValidate, context: RuleContext): readonly ConfigProblem[] {
  const problems = given.problems.slice(0, MOST_PROBLEMS);
  const report = (
    code: ConfigProblemCode,
    { path, expected, found }: FieldViolation,
    near: readonly string[] = [],
  ): void => {
    if (problems.length >= MOST_PROBLEMS || isReported(problems, path)) return;
    const own = originNear(given.origins, [path]);
    const origin = own ?? originNear(given.origins, near) ?? defaultAt(given.tree, path);
    const inFile = found ?? (own === undefined ? 'the default' : origin.written);
    // The text of a flag is shown whole: it is one line that the user typed.
    const written = origin.line === undefined ? origin.written : inFile;
    problems.push(problemAt({ ...origin, written }, { code, path, expected }));
  };
  for (const violation of findBrokenGates(given.tree)) report(violation.code, violation);
  for (const violation of findBrokenFields(given.tree, context.isOn)) report('invalid-value', violation);
  // The tables say what is filled in, and the type is made from the tables.
  const config = given.tree as unknown as KubeletConfiguration;
  const before = [...problems];
  for (const rule of crossFieldRules) {
    if (rule.reads.some((path) => isReported(before, path))) continue;
    for (const violation of findingsOf(rule, { config, context })) report('conflict', violation, rule.reads);
  }
  return problems;
}

function findingsOf(
  rule: CrossFieldRule,
  { config, context }: { readonly config: KubeletConfiguration; readonly context: RuleContext },
): readonly FieldViolation[] {
  const found = rule.find(config, context);
  if (found === undefined) return [];
  return 'path' in found ? [found] : found;
}

/** The origin of a default that does not fit the host. */
const defaultAt = (tree: ConfigTree, path: string): Origin => ({
  source: 'defaults',
  written: `${JSON.stringify(valueAt(tree, path))} by default`,
});

/** Returns the origin of the first of these paths that was set. A path also counts as set with its parent. */
function originNear(origins: Origins, paths: readonly string[]): Origin | undefined {
  for (const path of paths) {
    const exact = origins.get(path);
    if (exact !== undefined) return exact;
    const around = [...origins.keys()].filter((other) => isWithin(path, other)).sort((a, b) => b.length - a.length)[0];
    const origin = around === undefined ? undefined : origins.get(around);
    if (origin !== undefined) return origin;
  }
  return undefined;
}

interface GateViolation extends FieldViolation {
  readonly code: ConfigProblemCode;
}

function findBrokenGates(config: ConfigTree): readonly GateViolation[] {
  const gates = config['featureGates'];
  if (!isTree(gates)) return [];
  return Object.entries(gates).flatMap(([gate, value]): readonly GateViolation[] => {
    if (Object.hasOwn(stageWideGates, gate)) return [];
    const path = entryPath('featureGates', gate);
    const spec = gateSpec(gate);
    if (spec === undefined) {
      const expected = `a feature gate of a node${suggestion(gate, knownGateNames)}`;
      return [{ code: 'unknown-feature-gate', path, expected, found: gate }];
    }
    const broken = spec.locked === true && value !== spec.on;
    return broken ? [{ code: 'invalid-value', path, expected: `${String(spec.on)}: this gate is locked` }] : [];
  });
}
