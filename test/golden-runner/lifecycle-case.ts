import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseScript } from '../../src/embedded-runtime/script.ts';
import type { Scenario } from '../lifecycle/scenario.ts';
import { MalformedCase } from './malformed-case.ts';

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const ACTIONS = ['sleep', 'wait', 'create', 'delete', 'patch', 'static', 'kubelet', 'cri'];
const SOME_OF_A_CASE = ['actions', 'expected', 'script'];

/** Whether a JSON file is meant to be a case: it has at least one of the members that only cases have. */
export const looksLikeScenario = (value: unknown): boolean =>
  isObject(value) && SOME_OF_A_CASE.some((member) => member in value);

export function parseFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new MalformedCase(file, 'the file', error instanceof Error ? error.message : String(error));
  }
}

/** Reads one scenario. Throws a {@link MalformedCase}. */
export function readScenario(file: string): Scenario {
  const value = parseFile(file);
  if (!isObject(value)) throw new MalformedCase(file, 'the file', `${JSON.stringify(value)} is not an object`);
  const objectAt = (from: Members, member: string, path = member): Members => {
    const found = from[member] ?? {};
    if (!isObject(found)) throw new MalformedCase(file, path, `${JSON.stringify(found)} is not an object`);
    return found;
  };
  const listAt = (from: Members, member: string, path = member): readonly unknown[] => {
    const found = from[member] ?? [];
    if (!Array.isArray(found)) throw new MalformedCase(file, path, `${JSON.stringify(found)} is not a list`);
    return found as readonly unknown[];
  };
  if (!isObject(value['expected'])) {
    throw new MalformedCase(file, 'expected', `${JSON.stringify(value['expected'])} is not an object`);
  }
  const { expected } = value;
  for (const member of ['status', 'calls', 'events']) {
    const lists = objectAt(expected, member, `expected.${member}`);
    for (const pod of Object.keys(lists)) listAt(lists, pod, `expected.${member}.${pod}`);
  }
  for (const [index, action] of listAt(value, 'actions').entries()) {
    const known = isObject(action) && ACTIONS.some((name) => name in action);
    if (!known) throw new MalformedCase(file, `actions[${index}]`, `${JSON.stringify(action)} is not known here`);
    const { sleep } = action;
    if ('sleep' in action && typeof sleep !== 'number')
      throw new MalformedCase(
        file,
        `actions[${index}].sleep`,
        `${JSON.stringify(sleep)} is not a number of milliseconds`,
      );
  }
  for (const [index, object] of listAt(value, 'manifest').entries()) {
    const { kind } = isObject(object) ? object : {};
    if (typeof kind !== 'string')
      throw new MalformedCase(file, `manifest[${index}].kind`, `${JSON.stringify(kind)} is not a kind`);
  }
  const kubelet = objectAt(value, 'kubelet');
  checkDuration(file, 'kubelet.syncFrequency', kubelet['syncFrequency']);
  const backOff = objectAt(kubelet, 'crashLoopBackOff', 'kubelet.crashLoopBackOff');
  checkDuration(file, 'kubelet.crashLoopBackOff.maxContainerRestartPeriod', backOff['maxContainerRestartPeriod']);
  try {
    parseScript(value['script']);
  } catch (error) {
    throw new MalformedCase(file, 'script', error instanceof Error ? error.message : String(error));
  }
  // Everything that is gone through while it is played was looked at above.
  return {
    topic: '',
    static: {},
    ...value,
    name: typeof value['name'] === 'string' ? value['name'] : basename(file, '.json'),
    manifest: value['manifest'] ?? [],
    kubelet,
    actions: value['actions'] ?? [],
    script: value['script'] ?? {},
    expected: { status: {}, calls: {}, events: {}, ...expected },
  } as unknown as Scenario;
}

function checkDuration(file: string, field: string, value: unknown): void {
  if (value === undefined || (typeof value === 'string' && /^(?:\d+(?:ms|s|m|h))+$/.test(value))) return;
  throw new MalformedCase(file, field, `${JSON.stringify(value)} is not a duration like 10s or 1m`);
}
