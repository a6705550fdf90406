import type { FieldValidation } from './decode-object.ts';
import { forbiddenField, unsupportedValue } from './field-causes.ts';
import { badRequest, invalidOptions } from './refusal.ts';

/** What a query says about a write. */
export interface WriteOptions {
  /** Everything is done but the storing. */
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  /** Whether the writer has said who it is, and may ask later what is its own. */
  readonly namesItself: boolean;
  /** Of an apply: take over what others own. */
  readonly force: boolean;
  readonly fieldValidation: FieldValidation;
  readonly warn: (text: string) => void;
}

/** `userAgent` names whoever does not name itself, up to its first slash, as the API does. */
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

/** The members of `DeleteOptions` that mean something here. */
export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
  readonly isDryRun: boolean;
}

/** Nothing here has dependents that anybody would collect: any of these does. */
const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** From the body, and else from the query: a body wins. */
export function deleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const given = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly gracePeriodSeconds?: unknown;
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
    readonly dryRun?: readonly string[];
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
    isDryRun: given.dryRun?.includes('All') === true || query.getAll('dryRun').includes('All'),
  };
}
