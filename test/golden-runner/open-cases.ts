/** Recorded cases in which this agent still differs from the recorded kubelet without a reason. The goal is an empty list. */
export const openCases: ReadonlySet<string> = new Set([]);
