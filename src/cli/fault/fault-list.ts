import type { AppliedPlan } from '../../faults/fault-registry.ts';
import type { FaultAction, FaultMatch, FaultWhen } from '../../faults/fault-plan.ts';
import { formatTable } from '../terminal/format-table.ts';
import { humanDuration } from '../../kube/text/human-duration.ts';

/** Returns the applied plans and the progress of their rules, in lines. */
export function faultLines(plans: readonly AppliedPlan[]): readonly string[] {
  if (plans.length === 0) return ['no faults are applied'];
  const rules = plans.flatMap((plan) =>
    plan.rules.map((rule, index) => [
      `${plan.id}`,
      `${index + 1}`,
      matchText(rule.match),
      whenText(rule.when),
      actionText(rule.action),
      `${rule.matched}`,
      `${rule.acted}`,
    ]),
  );
  const radii = plans.map(({ id, seed, blastRadius, actors, threads, endsInMs }) => [
    `plan ${id}:`,
    `seed ${seed},`,
    `${actors} of at most ${blastRadius.maxActors} actors,`,
    `${threads} of at most ${blastRadius.maxThreads} threads,`,
    `ends in ${humanDuration(endsInMs)}`,
  ]);
  const head = ['PLAN', 'RULE', 'MATCH', 'WHEN', 'ACTION', 'MATCHED', 'ACTED'];
  return [...formatTable([head, ...rules]), ...radii.map((words) => words.join(' '))];
}

function matchText(match: FaultMatch): string {
  const { at, ...fields } = match;
  const words = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : value.join(',')}`,
  );
  return [at, ...words].join(' ');
}

const whenText = (when: FaultWhen): string =>
  Object.entries(when)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ') || 'always';

function actionText({ type, ...fields }: FaultAction): string {
  const words = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  return [type, ...words].join(' ');
}
