import { excerpt } from '../kube/text/excerpt.ts';
import { formatFieldPath, type FieldProblem } from '../kube/validation/field-path.ts';
import type { ClaimedName } from './object-meta.ts';

/** So many objects are remembered as reported. Beyond, the report of an earlier one may come again. */
const MOST_REMEMBERED = 1_000;
const LONGEST_NAME = 256;

/** Which objects that cannot be read have been reported: each is reported once, and again with another problem. */
export class UnreadReports {
  /** By the key of the object, or by its name where it has none: the problem. */
  readonly #reported = new Map<string, string>();

  /** The fields of a log line, cut to what a line may hold. `undefined` when the object was reported with this problem. */
  report(left: {
    readonly key: string | undefined;
    readonly claimed: ClaimedName;
    readonly problem: FieldProblem;
  }): { readonly object: string; readonly problem: string } | undefined {
    const { namespace = '', name = '', uid } = left.claimed;
    const object = excerpt(namespace === '' ? name || uid || 'without a name' : `${namespace}/${name}`, LONGEST_NAME);
    const problem = describeProblem(left.problem);
    const key = excerpt(left.key ?? `without a key: ${object}`, LONGEST_NAME);
    if (this.#reported.get(key) === problem) return undefined;
    this.#reported.delete(key);
    if (this.#reported.size >= MOST_REMEMBERED) this.#reported.delete(this.#reported.keys().next().value ?? '');
    this.#reported.set(key, problem);
    return { object, problem };
  }

  /** The object can be read again, or is gone. */
  mended(key: string): void {
    if (this.#reported.size > 0) this.#reported.delete(excerpt(key, LONGEST_NAME));
  }
}

/** One line for people, cut to what a log line may hold: `spec.volumes[0]: must not be empty (found null)`. */
export function describeProblem({ path, value, message }: FieldProblem): string {
  const field = path.length === 0 ? '' : `${formatFieldPath(path)}: `;
  return excerpt(`${field}${message}${value === undefined ? '' : ` (found ${briefly(value)})`}`);
}

/** A list or mapping is named by its kind: it may be of any size. */
function briefly(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'a mapping';
  return typeof value === 'string' ? JSON.stringify(excerpt(value, 128)) : String(value);
}
