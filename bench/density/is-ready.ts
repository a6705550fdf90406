/** Whether a pod or a node says in its conditions that it is ready. */
export function isReady(object: unknown): boolean {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
}

interface Condition {
  readonly type: string;
  readonly status: string;
}
