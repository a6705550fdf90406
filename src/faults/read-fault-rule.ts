import { faultCodes } from '../actor/fault.ts';
import { suggestion } from '../config/flags/did-you-mean.ts';
import { criFaultCodes } from '../cri/fault.ts';
import { criMethodNames as unaryMethodNames } from '../cri/method-names.ts';
import {
  apiErrorCodes,
  apiVerbs,
  fileErrorCodes,
  seams,
  type ActionType,
  type FaultAction,
  type FaultMatch,
  type FaultRule,
  type FaultWhen,
  type FaultyCriMethod,
  type FileOperation,
  type Seam,
} from './fault-plan.ts';
import {
  anything,
  isObject,
  oneOf,
  readFields,
  required,
  someNumber,
  someText,
  textOrTexts,
  wholeNumber,
  type Field,
  type Report,
} from './read-fields.ts';

/** Also the longest delay or hold: a plan ends earlier. */
const DAY_MS = 24 * 3_600_000;
const duration = someNumber(0, DAY_MS);

const criMethodNames = [...unaryMethodNames, 'GetContainerEvents'] as const;
const fileOperations = {
  makeDirectory: true,
  writeFile: true,
  claim: true,
  list: true,
  read: true,
  readTail: true,
  kindOf: true,
  link: true,
  removeEntry: true,
  setCgroup: true,
  removeCgroup: true,
} as const satisfies Record<FileOperation, true>;

/** Like `oneOf`, for long lists: it names only the nearest word. */
const known = <T extends string>(what: string, words: readonly T[]): Field<T> => ({
  expected: what,
  accepts: oneOf(words).accepts,
});

const ruleFields = { match: required(anything), when: anything, action: required(anything) } as const;

const matchFields = {
  at: oneOf(seams),
  actor: textOrTexts,
  message: someText,
  thread: someText,
  criMethod: someText,
  apiVerb: oneOf(apiVerbs),
  apiResource: someText,
  // The table is a constant: its keys are those of its type.
  file: oneOf(Object.keys(fileOperations) as FileOperation[]),
  path: someText,
} as const;

const fieldsAt: Readonly<Record<Seam, readonly (keyof typeof matchFields)[]>> = {
  mailbox: ['at', 'actor', 'message', 'thread'],
  link: ['at', 'actor', 'message', 'thread'],
  thread: ['at', 'thread'],
  cri: ['at', 'criMethod', 'thread'],
  api: ['at', 'apiVerb', 'apiResource', 'thread'],
  files: ['at', 'file', 'path', 'thread'],
  clock: ['at', 'thread'],
};

const whenFields = {
  nth: wholeNumber(1, 1e9),
  rate: someNumber(0, 1),
  afterMs: duration,
  atMs: duration,
  atMost: wholeNumber(1, 1e9),
} as const;

const actionFields: Readonly<Record<ActionType, Readonly<Record<string, Field<unknown>>>>> = {
  crash: { reason: someText },
  hang: { forMs: duration },
  delay: { delayMs: required(duration) },
  drop: { lose: oneOf(['request', 'answer']) },
  duplicate: { times: wholeNumber(1, 100) },
  reorder: { atMostMs: duration },
  error: {
    code: required(
      known('a gRPC code, an HTTP status, a fault code or an errno name', [
        ...criFaultCodes,
        ...apiErrorCodes,
        ...faultCodes,
        ...fileErrorCodes,
      ]),
    ),
    text: someText,
  },
  'exit-thread': {},
  'hang-thread': { forMs: duration },
  'block-thread': {},
  'reject-in-thread': {},
  'exhaust-heap': {},
  'exhaust-buffers': {},
  step: { byMs: required(someNumber(-365 * DAY_MS, 365 * DAY_MS)) },
  skew: { factor: required(someNumber(0, 1_000)) },
};
const actionTypes = Object.keys(actionFields);
const isActionType = (text: unknown): text is ActionType => typeof text === 'string' && actionTypes.includes(text);

/** The well-formed parts of a rule. */
export type ReadRule = { readonly [Part in keyof FaultRule]: FaultRule[Part] | undefined };

/** Reads the fields of one rule. The problems of parts missing from the result have been reported. */
export function readFaultRule(value: unknown, report: Report): ReadRule {
  const written = readFields(value, ruleFields, { report, path: '' });
  const match = written.match === undefined ? undefined : readMatch(written.match, report);
  const when = written.when === undefined ? {} : readWhen(written.when, report);
  const action = written.action === undefined ? undefined : readAction(written.action, report);
  return { match, when, action };
}

function readWhen(value: unknown, report: Report): FaultWhen | undefined {
  const before = report.problems.length;
  const read = readFields(value, whenFields, { report, path: 'when' });
  return report.problems.length > before ? undefined : read;
}

function readMatch(value: unknown, report: Report): FaultMatch | undefined {
  const before = report.problems.length;
  const read = readFields(value, matchFields, { report, path: 'match' });
  if (report.problems.length > before) return undefined;
  const at = read.at ?? seamOf(read);
  const fields: readonly string[] = fieldsAt[at];
  for (const name of Object.keys(read)) {
    if (!fields.includes(name)) report.add(`match.${name}`, undefined, `has no meaning at the ${at}`);
  }
  if (at === 'thread' && read.thread === undefined) report.add('match.thread', undefined, 'is missing');
  if (read.criMethod !== undefined && !isCriMethod(read.criMethod)) {
    report.add('match.criMethod', read.criMethod, `is not a CRI method${suggestion(read.criMethod, criMethodNames)}`);
  }
  if (Object.keys(read).length === 0) report.add('match', value, 'must name at least one thing to match');
  // Only the fields of this seam are there, and each has been checked.
  return report.problems.length > before ? undefined : ({ ...read, at } as FaultMatch);
}

const isCriMethod = (text: string): text is FaultyCriMethod => criMethodNames.some((name) => name === text);

/** Returns the seam of a match without `at`. */
function seamOf(read: { readonly [K in keyof typeof matchFields]?: unknown }): Seam {
  if (read.criMethod !== undefined) return 'cri';
  if (read.apiVerb !== undefined || read.apiResource !== undefined) return 'api';
  if (read.file !== undefined || read.path !== undefined) return 'files';
  return read.thread !== undefined && read.actor === undefined && read.message === undefined ? 'thread' : 'mailbox';
}

/** An action is written as an object with its type, or as its type alone. */
function readAction(value: unknown, report: Report): FaultAction | undefined {
  const before = report.problems.length;
  const { type, ...rest } = isObject(value) ? value : { type: value };
  if (!isActionType(type)) {
    const nearest = typeof type === 'string' ? suggestion(type, actionTypes) : '';
    const path = isObject(value) ? 'action.type' : 'action';
    report.add(path, type, `is not an action${nearest || `; known are ${actionTypes.join(', ')}`}`);
    return undefined;
  }
  const read = readFields(rest, actionFields[type], { report, path: 'action' });
  // The fields of each action are those of its type, and each has been checked.
  return report.problems.length > before ? undefined : ({ type, ...read } as FaultAction);
}
