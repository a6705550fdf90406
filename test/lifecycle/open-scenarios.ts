/** Recorded scenarios in which this agent still differs from the recorded kubelet without a reason. The goal is an empty list. */
export const openScenarios: ReadonlySet<string> = new Set<string>([]);
