/** Whether a pod or a node says in its conditions that it is ready. */
export function isReady(object: unknown): boolean {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
}

/** Why a pod will never be ready; undefined: it may be. */
export function failureOf(pod: unknown): string | undefined {
  const { status } = pod as { readonly status?: { readonly phase?: string; readonly message?: string } };
  return status?.phase === 'Failed' ? (status.message ?? 'it does not say why') : undefined;
}

interface Condition {
  readonly type: string;
  readonly status: string;
}
