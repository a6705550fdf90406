import { GRPC_CODES, type GrpcCode } from '../runtime-error.ts';

/** The action of a simulated object: it succeeds, fails, keeps running, ignores the signal, or exits with a code. */
export type OutcomeAction = 'ok' | 'err' | 'run' | 'ignore' | number;

/** One item of a script's list: the action, its duration and its text. */
export interface Outcome<D extends OutcomeAction = OutcomeAction> {
  readonly action: D;
  readonly delayMs: number;
  /** Error text, standard output or termination message, depending on the outcome's place. */
  readonly text: string;
  /** Replaces the exit reason (`OOMKilled`). */
  readonly reason?: string;
  /** Lines for the container's log file. */
  readonly log?: string;
  /** The only registry user whose pull succeeds. */
  readonly auth?: string;
  /** The gRPC code of an `err`, if not Unknown. */
  readonly code?: GrpcCode;
  /** `created`: a start that fails leaves its container as it was. Otherwise the container has exited. */
  readonly leaves?: 'created';
  /** How long after its creation a sandbox becomes NOTREADY by itself. */
  readonly dieMs?: number;
}

export type Answer = Outcome<'ok' | 'err'>;
export type Run = Outcome<'run' | number>;
export type TermReaction = Outcome<'ignore' | 'err' | number>;
export type ExecResult = Outcome<'err' | number>;

/** An invalid script. The message names the place, the value and the allowed values. */
export class ScriptError extends Error {
  constructor(path: string, value: unknown, expected: string) {
    super(`${path}: ${JSON.stringify(value) ?? 'undefined'} is not ${expected}`);
    this.name = 'ScriptError';
  }
}

const OUTCOME = /^(ok|err|run|ignore|\d{1,3})(?:@(\d+)(ms|s))?(?::([\s\S]*))?$/;
const DURATION = /^(\d+)(ms|s)$/;

/** The place of an outcome decides which actions are allowed. */
export const DEEDS = {
  answer: 'ok or err',
  run: 'run or an exit code',
  stop: 'an exit code, ignore or err',
  exec: 'an exit code or err',
} as const;
export type Place = keyof typeof DEEDS;

const WORDS: Readonly<Record<Place, readonly string[]>> = {
  answer: ['ok', 'err'],
  run: ['run'],
  stop: ['ignore', 'err'],
  exec: ['err'],
};

function parseText(path: string, place: Place, text: unknown): Outcome {
  const expected = `an outcome "<what>[@<delay>][:<text>]" where <what> is ${DEEDS[place]} and <delay> is like 20ms or 3s`;
  const parts = typeof text === 'string' ? OUTCOME.exec(text) : null;
  if (!parts) throw new ScriptError(path, text, expected);
  const [, what = '', amount, unit, rest = ''] = parts;
  const isCode = /^\d/.test(what);
  if (isCode ? place === 'answer' || Number(what) > 255 : !WORDS[place].includes(what)) {
    throw new ScriptError(path, text, expected);
  }
  // The pattern admits only these words; anything else is an exit code.
  const action = isCode ? Number(what) : (what as OutcomeAction);
  return { action, delayMs: amount === undefined ? 0 : Number(amount) * (unit === 's' ? 1000 : 1), text: rest };
}

/** `<integer>ms` or `<integer>s`, in milliseconds. */
export function parseDuration(path: string, text: unknown): number {
  const parts = typeof text === 'string' ? DURATION.exec(text) : null;
  if (!parts) throw new ScriptError(path, text, 'a duration like 20ms or 3s');
  return Number(parts[1]) * (parts[2] === 's' ? 1000 : 1);
}

const stringAt = (path: string, value: unknown): string => {
  if (typeof value !== 'string') throw new ScriptError(path, value, 'a string');
  return value;
};

function createdAt(path: string, value: unknown): 'created' {
  if (value !== 'created') throw new ScriptError(path, value, '"created"');
  return value;
}

function codeAt(path: string, value: unknown): GrpcCode {
  // The table is a constant: its keys are those of its type.
  const known = Object.keys(GRPC_CODES) as GrpcCode[];
  const found = known.find((name) => name === value || GRPC_CODES[name] === value);
  if (!found) throw new ScriptError(path, value, `a gRPC code (${known.join(', ')})`);
  return found;
}

/** Reads one outcome: the string form, or an object whose `do` is that string. Throws a {@link ScriptError}. */
export function parseOutcome(path: string, place: Place, value: unknown): Outcome {
  if (typeof value !== 'object' || value === null) return parseText(path, place, value);
  let outcome = parseText(`${path}.do`, place, 'do' in value ? value.do : undefined);
  for (const [member, given] of Object.entries(value)) {
    const at = `${path}.${member}`;
    if (member === 'do') continue;
    else if (member === 'reason' || member === 'log' || member === 'auth') {
      outcome = { ...outcome, [member]: stringAt(at, given) };
    } else if (member === 'code') outcome = { ...outcome, code: codeAt(at, given) };
    else if (member === 'leaves') outcome = { ...outcome, leaves: createdAt(at, given) };
    else if (member === 'die') outcome = { ...outcome, dieMs: parseDuration(at, given) };
    else throw new ScriptError(at, given, 'a member of an outcome (do, reason, log, auth, code, leaves, die)');
  }
  return outcome;
}
