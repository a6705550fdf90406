/** The place of a value in an object: member names and list positions, outermost first. */
export type FieldPath = readonly (string | number)[];

/** Formats a path as Kubernetes does in its errors: `spec.containers[0].image`. */
export function formatFieldPath(path: FieldPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[A-Za-z]\w*$/.test(step)) text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

/** A problem of one field. */
export interface FieldProblem {
  readonly path: FieldPath;
  /** The value found, if it helps; absent when there is none. */
  readonly value?: unknown;
  readonly message: string;
}
