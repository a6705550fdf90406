import { own } from '../../../kube/text/own.ts';
import {
  type Answer,
  type ExecResult,
  type Outcome,
  type Place,
  type Run,
  type TermReaction,
  parseDuration,
  parseOutcome,
  ScriptError,
} from './outcome.ts';

/** A non-empty list, consumed one item per call; the last item repeats for ever. */
export type Outcomes<O extends Outcome> = readonly [O, ...O[]];

/** How the results of one command are chosen. */
export type ExecRule =
  /** One per call, starting over with each container instance. */
  | { readonly by: 'instance'; readonly results: Outcomes<ExecResult> }
  /** One per call, counted across the restarts of the container of that name. */
  | { readonly by: 'name'; readonly results: Outcomes<ExecResult> }
  /** By the age of the instance: the last entry whose age is reached. */
  | { readonly by: 'age'; readonly agesMs: readonly number[]; readonly results: Outcomes<ExecResult> };

/** A container's usage while it runs. Constant, so that a test can predict it. */
export interface ScriptedUsage {
  readonly cpuMillicores: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

export interface ScriptedContainer {
  readonly create?: Outcomes<Answer>;
  readonly start?: Outcomes<Answer>;
  readonly run?: Outcomes<Run>;
  readonly stop?: Outcomes<TermReaction>;
  readonly update?: Outcomes<Answer>;
  readonly exec: Readonly<Record<string, ExecRule>>;
  readonly usage?: ScriptedUsage;
}

export interface ScriptedPod {
  readonly sandbox?: Outcomes<Answer>;
  readonly containers: Readonly<Record<string, ScriptedContainer>>;
}

/** The simulated runtime's behaviour where it differs from the defaults. */
export interface Script {
  /** A listed image is absent until a pull succeeds; an unlisted image is always present. */
  readonly images: Readonly<Record<string, Outcomes<Answer>>>;
  /** The user of an image: digits are a numeric UID, anything else a user name. */
  readonly imageUsers: Readonly<Record<string, string>>;
  /** By pod name in the API; `*` stands for every pod, or every container, without an entry of its own. */
  readonly pods: Readonly<Record<string, ScriptedPod>>;
  /** `off` writes no log files and no termination messages. For benchmarks. */
  readonly logs: 'on' | 'off';
}

export const EMPTY_SCRIPT: Script = { images: {}, imageUsers: {}, pods: {}, logs: 'on' };

type Members = Readonly<Record<string, unknown>>;

function objectAt(path: string, value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ScriptError(path, value, 'an object');
  }
  // An object that is no list has members by name.
  return value as Members;
}

function onlyMembers(path: string, object: Members, known: readonly string[]): void {
  for (const member of Object.keys(object)) {
    if (!known.includes(member))
      throw new ScriptError(`${path}.${member}`, own(object, member), `known (${known.join(', ')})`);
  }
}

// `place` decides which actions are allowed, so the caller's type and its place must agree; see the table of uses
// below.
function outcomesAt<O extends Outcome>(path: string, place: Place, value: unknown): Outcomes<O> {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw new ScriptError(path, value, 'an outcome or a list of at least one');
  // The place decides which outcomes may stand here; at least one does.
  return list.map((item, at) => parseOutcome(Array.isArray(value) ? `${path}[${at}]` : path, place, item) as O) as [
    O,
    ...O[],
  ];
}

const mapAt = <T>(path: string, value: unknown, read: (path: string, value: unknown) => T): Record<string, T> =>
  Object.fromEntries(
    Object.entries(objectAt(path, value ?? {})).map(([key, item]) => [
      key,
      read(`${path}[${JSON.stringify(key)}]`, item),
    ]),
  );

function execRuleAt(path: string, value: unknown): ExecRule {
  if (Array.isArray(value) || typeof value !== 'object' || value === null || 'do' in value) {
    return { by: 'instance', results: outcomesAt(path, 'exec', value) };
  }
  const rule = objectAt(path, value);
  onlyMembers(path, rule, ['by', 'ages', 'results']);
  const results = outcomesAt<ExecResult>(`${path}.results`, 'exec', rule['results']);
  if (rule['by'] === 'name') return { by: 'name', results };
  if (rule['by'] !== 'age') throw new ScriptError(`${path}.by`, rule['by'], '"name" or "age"');
  const ages = rule['ages'];
  if (!Array.isArray(ages) || ages.length !== results.length) {
    throw new ScriptError(`${path}.ages`, ages, `a list of ${results.length} durations, one per result`);
  }
  return { by: 'age', agesMs: ages.map((age, at) => parseDuration(`${path}.ages[${at}]`, age)), results };
}

function amountAt(path: string, value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
    throw new ScriptError(path, value, 'a whole number, zero or more');
  }
  return value;
}

function usageAt(path: string, value: unknown): ScriptedUsage {
  const usage = objectAt(path, value);
  onlyMembers(path, usage, ['cpuMillicores', 'memoryBytes', 'diskBytes']);
  return {
    cpuMillicores: amountAt(`${path}.cpuMillicores`, usage['cpuMillicores'] ?? 0),
    memoryBytes: amountAt(`${path}.memoryBytes`, usage['memoryBytes'] ?? 0),
    diskBytes: amountAt(`${path}.diskBytes`, usage['diskBytes'] ?? 0),
  };
}

function containerAt(path: string, value: unknown): ScriptedContainer {
  const given = objectAt(path, value);
  onlyMembers(path, given, ['create', 'start', 'run', 'stop', 'update', 'exec', 'usage']);
  const { create, start, run, stop, update, usage } = given;
  return {
    ...(create !== undefined && { create: outcomesAt<Answer>(`${path}.create`, 'answer', create) }),
    ...(start !== undefined && { start: outcomesAt<Answer>(`${path}.start`, 'answer', start) }),
    ...(run !== undefined && { run: outcomesAt<Run>(`${path}.run`, 'run', run) }),
    ...(stop !== undefined && { stop: outcomesAt<TermReaction>(`${path}.stop`, 'stop', stop) }),
    ...(update !== undefined && { update: outcomesAt<Answer>(`${path}.update`, 'answer', update) }),
    exec: mapAt(`${path}.exec`, given['exec'], execRuleAt),
    ...(usage !== undefined && { usage: usageAt(`${path}.usage`, usage) }),
  };
}

function podAt(path: string, value: unknown): ScriptedPod {
  const { sandbox, containers, ...rest } = objectAt(path, value);
  onlyMembers(path, rest, ['sandbox', 'containers']);
  return {
    ...(sandbox !== undefined && { sandbox: outcomesAt<Answer>(`${path}.sandbox`, 'answer', sandbox) }),
    containers: mapAt(`${path}.containers`, containers, containerAt),
  };
}

/** Checks a script read from JSON or YAML. Throws a {@link ScriptError} that names the place and the value. */
export function parseScript(value: unknown): Script {
  const given = objectAt('script', value ?? {});
  onlyMembers('script', given, ['images', 'imageUsers', 'pods', 'logs']);
  const logs = given['logs'] ?? 'on';
  if (logs !== 'on' && logs !== 'off') throw new ScriptError('script.logs', logs, '"on" or "off"');
  return {
    images: mapAt('script.images', given['images'], (path, item) => outcomesAt<Answer>(path, 'answer', item)),
    imageUsers: mapAt('script.imageUsers', given['imageUsers'], (path, user) => {
      if (typeof user !== 'string' && typeof user !== 'number') throw new ScriptError(path, user, 'a user name or uid');
      return String(user);
    }),
    pods: mapAt('script.pods', given['pods'], podAt),
    logs,
  };
}

/**
 * Merges two scripts; `later` wins for a pod or image that both name. The `logs` setting of the earlier script
 * stays.
 */
export const mergeScripts = (earlier: Script, later: Script): Script => ({
  images: { ...earlier.images, ...later.images },
  imageUsers: { ...earlier.imageUsers, ...later.imageUsers },
  pods: { ...earlier.pods, ...later.pods },
  logs: earlier.logs,
});

/** Returns the script of a pod, if any. */
export const scriptedPod = (script: Script, pod: string): ScriptedPod | undefined =>
  own(script.pods, pod) ?? own(script.pods, '*');

/** Returns the script of a container, if any. */
export function scriptedContainer(script: Script, pod: string, container: string): ScriptedContainer | undefined {
  const containers = scriptedPod(script, pod)?.containers;
  return containers && (own(containers, container) ?? own(containers, '*'));
}

export const scriptedExec = (container: ScriptedContainer | undefined, command: string): ExecRule | undefined =>
  container && own(container.exec, command);

/** Returns the pull outcomes of an image, if it is listed. */
export const scriptedPulls = (script: Script, image: string): Outcomes<Answer> | undefined => own(script.images, image);
