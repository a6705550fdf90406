/** Recorded scenarios in which this agent still differs from the recorded kubelet without a reason. To become empty. */
export const openScenarios: ReadonlySet<string> = new Set<string>([]);
