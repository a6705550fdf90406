/** `true` if the conditions of a pod or a node report it as ready. */
export function isReady(object: unknown): boolean {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
}

/** Returns why a pod can never become ready, although it was not deleted. `undefined` when it still may. */
export function failureOf(pod: unknown): string | undefined {
  const { metadata, status } = pod as {
    readonly metadata: { readonly deletionTimestamp?: string };
    readonly status?: { readonly phase?: string; readonly message?: string };
  };
  if (status?.phase !== 'Failed' || metadata.deletionTimestamp !== undefined) return undefined;
  return status.message ?? 'it does not say why';
}

interface Condition {
  readonly type: string;
  readonly status: string;
}
