/** Recorded cases in which this agent still differs from the recorded kubelet without a reason. To become empty. */
export const openCases: ReadonlySet<string> = new Set([]);
