import { excerpt } from '../kube/text/excerpt.ts';
import { formatFieldPath, type FieldProblem } from '../kube/validation/field-path.ts';
import type { ClaimedName } from './object-meta.ts';

/** How many objects are remembered as reported. Beyond this, an earlier object may be reported again. */
const MOST_REMEMBERED = 1_000;
const LONGEST_NAME = 256;

/** Remembers the reported unreadable objects. Each object is reported once, and again with another problem. */
export class UnreadReports {
  /** The problem, by the object's key, or by its name when it has no key. */
  readonly #reported = new Map<string, string>();

  /**
   * Returns the fields of a log line, cut to its maximum length. `undefined` when the object was already reported
   * with this problem.
   */
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

  /** The object is readable again, or gone. */
  mended(key: string): void {
    if (this.#reported.size > 0) this.#reported.delete(excerpt(key, LONGEST_NAME));
  }
}

/** One line for people, cut to the length of a log line: `spec.volumes[0]: must not be empty (found null)`. */
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
