/** Where a value stands in an object: member names and list positions, outermost first. */
export type FieldPath = readonly (string | number)[];

/** `spec.containers[0].image`, the way Kubernetes names a field in its errors. */
export function formatFieldPath(path: FieldPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[A-Za-z]\w*$/.test(step)) text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** One thing that is wrong with a field. */
export interface FieldProblem {
  readonly path: FieldPath;
  /** What was found, as far as it helps; absent where nothing was found. */
  readonly value?: unknown;
  readonly message: string;
}
