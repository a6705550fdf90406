import type { Scenario } from '../scenario.ts';

/** With more scenarios, two cores are so busy that statuses a second apart are merged, and probes time out. */
export const AT_ONCE = 4;

export type Life = Pick<Scenario, 'name' | 'kubelet' | 'actions'> & {
  readonly expected: Pick<Scenario['expected'], 'calls'>;
};

export const hasKill = ({ actions }: Pick<Scenario, 'actions'>): boolean =>
  actions.some((action) => 'kubelet' in action);

/** The agent is killed in the middle of a call, which would end while other scenarios are awaited. */
const isCutShort = ({ expected }: Life): boolean => JSON.stringify(expected.calls).includes(' !cancelled');

/**
 * Groups the scenarios that one agent plays, by configuration. Scenarios with a kill wait for one another, so a whole group
 * is played at once, and without scenarios that a kill would disturb. A scenario whose kill cannot wait has its own agent.
 */
export function groupLives<T extends Life>(scenarios: readonly T[]): readonly (readonly [string, readonly T[]])[] {
  const byConfiguration = Object.entries(Object.groupBy(scenarios, ({ kubelet }) => JSON.stringify(kubelet)));
  return byConfiguration.flatMap(([kubelet, group = []]): (readonly [string, readonly T[]])[] => {
    const killed = group.filter(hasKill);
    const patient = killed.filter((each) => !isCutShort(each));
    const count = Math.ceil(patient.length / AT_ONCE);
    const together = Array.from({ length: count }, (_, part) =>
      patient.filter((_each, index) => index % count === part),
    );
    const undisturbed = group.filter((each) => !hasKill(each));
    const parts = [undisturbed, ...together, ...killed.filter(isCutShort).map((each) => [each])].filter(
      (part) => part.length > 0,
    );
    return parts.map((part, index) => [
      parts.length === 1 ? kubelet : `${kubelet}, ${index + 1} of ${parts.length}`,
      part,
    ]);
  });
}
