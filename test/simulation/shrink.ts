import { isFault, slotOf, type Plan, type PlanStep } from './plan.ts';
import { simulate, type SimulateOptions, type SimulationResult } from './simulate.ts';

export interface Shrunk {
  readonly plan: Plan;
  readonly result: SimulationResult;
  /** The number of histories that were played for the result. */
  readonly tries: number;
}

/** Further attempts are not worth the time: the plan is small enough to be read. */
const TRIES = 400;

/**
 * Shrinks a plan while it still violates the same invariant: drops whole pods, then
 * faults and changes in ever smaller groups. The seed of the schedule stays, so the rest replays exactly.
 */
export async function shrink(plan: Plan, options: SimulateOptions = {}): Promise<Shrunk> {
  const first = await simulate(plan, options);
  const invariant = first.violations[0]?.invariant;
  if (invariant === undefined) return { plan, result: first, tries: 1 };
  let best: Shrunk = { plan: upTo(plan, first), result: first, tries: 1 };
  let tries = 1;
  const attempt = async (steps: readonly PlanStep[]): Promise<boolean> => {
    if (tries >= TRIES) return false;
    tries++;
    const candidate = { ...best.plan, steps };
    const result = await simulate(candidate, options);
    if (result.violations[0]?.invariant !== invariant) return false;
    best = { plan: upTo(candidate, result), result, tries };
    return true;
  };
  for (const faultsOnly of [false, true, false]) {
    // First whole pods, then fault by fault, then the remaining changes.
    if (!faultsOnly) await withoutPods(() => best.plan.steps, attempt);
    await withoutGroups(() => best.plan.steps, attempt, faultsOnly ? isFault : () => true);
    await withoutRules(() => best.plan.steps, attempt);
  }
  return { ...best, tries };
}

/** Steps after the violation do not matter. */
const upTo = (plan: Plan, { simulatedHours }: SimulationResult): Plan => ({
  ...plan,
  steps: plan.steps.filter(({ at }) => at <= simulatedHours * 3_600_000),
});

type Attempt = (steps: readonly PlanStep[]) => Promise<boolean>;

async function withoutPods(steps: () => readonly PlanStep[], attempt: Attempt): Promise<void> {
  const slots = [...new Set(steps().flatMap((step) => slotOf(step) ?? []))];
  for (let size = Math.ceil(slots.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < slots.length; from += size) {
      const gone = new Set(slots.slice(from, from + size));
      const rest = steps().filter((step) => !gone.has(slotOf(step) ?? -1));
      if (rest.length < steps().length) await attempt(rest);
    }
  }
}

async function withoutGroups(
  steps: () => readonly PlanStep[],
  attempt: Attempt,
  mayGo: (step: PlanStep) => boolean,
): Promise<void> {
  for (let size = Math.ceil(steps().length / 4); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < steps().length;) {
      const all = steps();
      const rest = all.filter((step, index) => index < from || index >= from + size || !mayGo(step));
      const dropped = rest.length < all.length && (await attempt(rest));
      if (!dropped) from += size;
    }
  }
}

/** Drops single rules of the remaining fault plans. Their order affects their random numbers, so each result is tested. */
async function withoutRules(steps: () => readonly PlanStep[], attempt: Attempt): Promise<void> {
  for (let index = 0; index < steps().length; index++) {
    for (let rule = 0; ;) {
      const step = steps()[index];
      if (step?.event.do !== 'apply-fault-plan') break;
      const { event } = step;
      const { rules } = event.plan;
      if (rule >= rules.length || rules.length === 1) break;
      const smaller = { ...event, plan: { ...event.plan, rules: rules.toSpliced(rule, 1) } };
      if (!(await attempt(steps().with(index, { ...step, event: smaller })))) rule++;
    }
  }
}
