import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseScript } from '../../src/embedded/runtime/script/script.ts';
import type { Scenario } from '../lifecycle/scenario.ts';
import { kubeletConfiguration } from './kubelet-settings.ts';
import { isObject, ScenarioShape } from './lifecycle-shape.ts';
import { MalformedCase } from './malformed-case.ts';

const SOME_OF_A_CASE = ['actions', 'expected', 'script'];

/** `true` if a JSON file is meant to be a case: it has at least one of the members that only cases have. */
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
  const shape = new ScenarioShape(file);
  const { expected } = value;
  if (!isObject(expected)) return shape.wrong('expected', expected, 'is not an object');
  shape.expected(expected);
  shape.actions(shape.listAt(value, 'actions'));
  for (const [index, object] of shape.listAt(value, 'manifest').entries())
    shape.apiObject(`manifest[${index}]`, object);
  const files = shape.objectAt(value, 'static');
  for (const name of Object.keys(files)) shape.apiObject(`static.${name}`, files[name]);
  const kubelet = shape.objectAt(value, 'kubelet');
  kubeletConfiguration(file, 'kubelet', kubelet);
  try {
    parseScript(value['script']);
  } catch (error) {
    throw new MalformedCase(file, 'script', error instanceof Error ? error.message : String(error));
  }
  // All members that are read while the case is played were checked above.
  return {
    ...value,
    topic: typeof value['topic'] === 'string' ? value['topic'] : '',
    static: files,
    name: typeof value['name'] === 'string' ? value['name'] : basename(file, '.json'),
    manifest: value['manifest'] ?? [],
    kubelet,
    actions: value['actions'] ?? [],
    script: value['script'] ?? {},
    expected: {
      ...expected,
      status: expected['status'] ?? {},
      calls: expected['calls'] ?? {},
      events: expected['events'] ?? {},
    },
  } as unknown as Scenario;
}
