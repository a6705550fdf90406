import { parseYaml } from '../kube/text/parse-yaml.ts';
import { checkFaultRule } from './check-fault-rule.ts';
import { defaultBlastRadius, type BlastRadius, type FaultPlan, type FaultRule } from './fault-plan.ts';
import type { FaultProblem } from './fault-problem.ts';
import type { FaultWorld } from './fault-world.ts';
import { anything, readFields, Report, someNumber, wholeNumber } from './read-fields.ts';
import { readFaultRule } from './read-fault-rule.ts';

export type ReadPlan =
  { readonly ok: true; readonly plan: FaultPlan } | { readonly ok: false; readonly problems: readonly FaultProblem[] };

const MOST_RULES = 100;

const planFields = {
  seed: wholeNumber(0, 2 ** 32 - 1),
  blastRadius: anything,
  rules: { ...anything, required: true },
} as const;

const blastRadiusFields = {
  maxActors: wholeNumber(1, 1_000_000),
  maxThreads: wholeNumber(0, 30),
  maxMinutes: someNumber(0, 24 * 60),
} as const;

/** Reads a plan from YAML or JSON. All problems of all rules are found at once. A plan with a problem is rejected. */
export function readFaultPlan(text: string, world: FaultWorld): ReadPlan {
  const parsed = parseYaml(text, { reading: { prettyErrors: true } });
  if (parsed.ok) return checkFaultPlan(parsed.value, world);
  const says = `is neither YAML nor JSON: ${parsed.problem}`;
  return { ok: false, problems: [{ rule: undefined, path: '', value: undefined, says }] };
}

/** As `readFaultPlan`, from parsed data. */
export function checkFaultPlan(value: unknown, world: FaultWorld): ReadPlan {
  const report = new Report(undefined);
  const { seed = 0, blastRadius, rules } = readFields(value, planFields, { report, path: '' });
  const radius = readBlastRadius(blastRadius, report);
  const read = rules === undefined ? [] : readRules(rules, { report, world, radius });
  if (report.problems.length > 0) return { ok: false, problems: report.problems };
  return { ok: true, plan: { seed, blastRadius: radius, rules: read } };
}

function readBlastRadius(value: unknown, report: Report): BlastRadius {
  if (value === undefined) return defaultBlastRadius;
  return { ...defaultBlastRadius, ...readFields(value, blastRadiusFields, { report, path: 'blastRadius' }) };
}

function readRules(
  value: unknown,
  { report, ...given }: { readonly report: Report; readonly world: FaultWorld; readonly radius: BlastRadius },
): readonly FaultRule[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_RULES) {
    report.add('rules', value, `must be a list of 1 to ${MOST_RULES} rules`);
    return [];
  }
  return value.flatMap((written: unknown, index) => {
    const own = report.forRule(index + 1);
    const rule = readFaultRule(written, own);
    checkFaultRule(rule, { report: own, ...given });
    const { match, when, action } = rule;
    return match === undefined || when === undefined || action === undefined ? [] : [{ match, when, action }];
  });
}
