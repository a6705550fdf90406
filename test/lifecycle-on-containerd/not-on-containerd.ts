/** Scenarios that real containers cannot play, with the reason. */
export const notOnContainerd: Readonly<Record<string, string>> = {
  'run-error-twice': 'a start that fails leaves a container of containerd without an end',
};
