import { own } from '../../kube/text/own.ts';
import { trimEndOf } from '../../kube/text/trim-run.ts';

/** A problem with one field of a kubeconfig. */
export interface KubeconfigProblem {
  /** `clusters[0].cluster.server`; empty for the file as a whole. */
  readonly path: string;
  /** The field's value as JSON. Absent when the field is empty, or a secret. */
  readonly written?: string;
  readonly expected: string;
}

/** Returns one line for people: the file, the field, its value and the expected value. */
export function kubeconfigProblemText(file: string, { path, written, expected }: KubeconfigProblem): string {
  const where = path === '' ? file : `${file}: ${path}`;
  return written === undefined ? `${where}: expected ${expected}` : `${where}: ${written} is not ${expected}`;
}

export type Entry = Readonly<Record<string, unknown>>;

interface FieldPlace {
  readonly path: string;
  readonly problems: KubeconfigProblem[];
  /** `true` for a field whose value must not be repeated in a problem. */
  readonly secret?: boolean;
}

/** Returns a text field. `undefined` when the field is absent or empty, which mean the same in a kubeconfig. */
export function optionalText(entry: Entry, field: string, { path, problems, secret }: FieldPlace): string | undefined {
  const value = own(entry, field);
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  const written = secret === true ? {} : { written: JSON.stringify(value) };
  problems.push({ path: path === '' ? field : `${path}.${field}`, ...written, expected: 'text' });
  return undefined;
}

/** Returns a list of texts, which may be absent. Other values are reported as problems and left out. */
export function texts(value: unknown, { path, problems }: Omit<FieldPlace, 'secret'>): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    problems.push({ path, written: JSON.stringify(value), expected: 'a list of texts' });
    return [];
  }
  return value.flatMap((each: unknown, index) => {
    if (typeof each === 'string') return [each];
    problems.push({ path: `${path}[${index}]`, written: JSON.stringify(each), expected: 'text' });
    return [];
  });
}

/** Returns a list of mappings. Other values are reported as problems and left out. */
export function records(
  entry: Entry,
  field: string,
  { problems, path = '' }: { readonly problems: KubeconfigProblem[]; readonly path?: string },
): readonly Entry[] {
  const value = own(entry, field) ?? [];
  const at = path === '' ? field : `${path}.${field}`;
  if (!Array.isArray(value)) {
    problems.push({ path: at, expected: 'a list' });
    return [];
  }
  return value.map((each: unknown, index) => {
    // A mapping, whose members are unknown.
    if (typeof each === 'object' && each !== null && !Array.isArray(each)) return each as Entry;
    problems.push({ path: `${at}[${index}]`, expected: 'a mapping' });
    return {};
  });
}

/** Line breaks are allowed, as people paste them. */
export function isBase64(text: string): boolean {
  const written = text.trimEnd();
  const body = trimEndOf(written, '=');
  const isPadded = written.length - body.length <= 2 && text.replace(/\s/g, '').length % 4 === 0;
  return text !== '' && isPadded && /^[A-Za-z\d+/\s]*$/.test(body);
}
