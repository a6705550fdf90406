import type { FieldValidation } from './decode-object.ts';
import { badRequest } from './refusal.ts';

/** What a query says about a write. */
export interface WriteOptions {
  /** Everything is done but the storing. */
  readonly isDryRun: boolean;
  readonly fieldManager: string;
  /** Of an apply: take over what others own. */
  readonly force: boolean;
  readonly fieldValidation: FieldValidation;
  readonly warn: (text: string) => void;
}

/** `userAgent` names whoever does not name itself, up to its first slash, as the API does. */
export function writeOptions(query: URLSearchParams, userAgent: string, warn: (text: string) => void): WriteOptions {
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((each) => each !== 'All' && each !== '')) {
    throw badRequest(`Invalid value: ${JSON.stringify(dryRun)}: dryRun takes "All" and nothing else`);
  }
  const validation = query.get('fieldValidation') ?? 'Warn';
  if (validation !== 'Strict' && validation !== 'Warn' && validation !== 'Ignore' && validation !== '') {
    throw badRequest(`fieldValidation: Unsupported value: ${JSON.stringify(validation)}`);
  }
  return {
    isDryRun: dryRun.includes('All'),
    fieldManager: query.get('fieldManager') ?? (userAgent.split('/')[0] || 'unknown'),
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

/** From the body, and else from the query: a body wins. */
export function deleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const given = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly gracePeriodSeconds?: unknown;
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
    readonly dryRun?: readonly string[];
  };
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
