import type { FieldValidation } from './decode-object.ts';
import { forbiddenField, unsupportedValue } from './field-causes.ts';
import { badRequest, invalidOptions } from './refusal.ts';

/** The write options of a query. */
export interface WriteOptions {
  /** Everything is done except storing. */
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  /** `true` if the writer has named itself, and may ask for its own fields later. */
  readonly namesItself: boolean;
  /** For an apply: take over fields of other managers. */
  readonly force: boolean;
  readonly fieldValidation: FieldValidation;
  readonly warn: (text: string) => void;
}

/** The default manager is the `userAgent` up to its first slash, as with the API. */
export function writeOptions(
  query: URLSearchParams,
  { userAgent, method, isApply }: { readonly userAgent: string; readonly method: string; readonly isApply: boolean },
  warn: (text: string) => void,
): WriteOptions {
  const options = method === 'POST' ? 'CreateOptions' : method === 'PUT' ? 'UpdateOptions' : 'PatchOptions';
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((each) => each !== 'All' && each !== '')) {
    throw invalidOptions(options, [unsupportedValue('dryRun', dryRun, ['All'])]);
  }
  const validation = query.get('fieldValidation') ?? 'Warn';
  if (validation !== 'Strict' && validation !== 'Warn' && validation !== 'Ignore' && validation !== '') {
    throw invalidOptions(options, [unsupportedValue('fieldValidation', validation, ['Ignore', 'Strict', 'Warn'])]);
  }
  if (options === 'PatchOptions' && !isApply && query.has('force')) {
    throw invalidOptions(options, [forbiddenField('force', 'may not be specified for non-apply patch')]);
  }
  return {
    isDryRun: dryRun.includes('All'),
    fieldManager: query.get('fieldManager') ?? (userAgent.split('/')[0] || 'unknown'),
    namesItself: query.has('fieldManager'),
    force: query.get('force') === 'true',
    fieldValidation: validation || 'Warn',
    warn,
  };
}

/** The members of `DeleteOptions` that are supported here. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly isDryRun: boolean;
}

/** No object here has collected dependents: all policies have the same effect. */
const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** Options from the body, or else from the query: a body wins. */
export function deleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  // Each member is checked below, or compared with a text.
  const given = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly gracePeriodSeconds?: unknown;
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
    readonly dryRun?: unknown;
    readonly propagationPolicy?: unknown;
  };
  const policy = given.propagationPolicy ?? query.get('propagationPolicy') ?? undefined;
  if (policy !== undefined && !(typeof policy === 'string' && POLICIES.includes(policy))) {
    throw invalidOptions('DeleteOptions', [unsupportedValue('propagationPolicy', policy, POLICIES)]);
  }
  const asked = given.gracePeriodSeconds ?? query.get('gracePeriodSeconds') ?? undefined;
  const gracePeriodSeconds = asked === undefined ? undefined : Number(asked);
  if (gracePeriodSeconds !== undefined && !Number.isSafeInteger(gracePeriodSeconds)) {
    throw badRequest(`gracePeriodSeconds takes a whole number, not ${JSON.stringify(asked)}`);
  }
  return {
    gracePeriodSeconds,
    uid: given.preconditions?.uid,
    resourceVersion: given.preconditions?.resourceVersion,
    isDryRun: (Array.isArray(given.dryRun) && given.dryRun.includes('All')) || query.getAll('dryRun').includes('All'),
  };
}
