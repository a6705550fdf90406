import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { configFields } from '../../src/config/fields/config-fields.ts';
import { shapeOf } from '../../src/config/fields/config-schema.ts';
import { defaultConfiguration } from '../../src/config/load-configuration.ts';
import { formatGoDuration } from '../../src/kube/text/go-duration.ts';
import { flagNames } from '../../src/config/flags/flag-table.ts';
import { configOf, load, problemsOf } from './load-support.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Values of every kind that agree with each other and with all defaults, so that any subset of them is valid. */
const groups: readonly fc.Arbitrary<Fields>[] = [
  fc.record({ port: fc.integer({ min: 1, max: 65_535 }) }),
  fc.record({ maxPods: fc.integer({ min: 1, max: 10_000 }), podsPerCore: fc.integer({ min: 0, max: 100 }) }),
  fc.record({ enableServer: fc.boolean(), seccompDefault: fc.boolean(), failSwapOn: fc.boolean() }),
  fc.record({ healthzPort: fc.integer({ min: 0, max: 65_535 }), oomScoreAdj: fc.integer({ min: -1_000, max: 1_000 }) }),
  fc.record({ clusterDNS: fc.array(fc.ipV4(), { maxLength: 3 }), clusterDomain: fc.domain() }),
  fc.record({
    topologyManagerScope: fc.constantFrom('container', 'pod'),
    cgroupDriver: fc.constantFrom('systemd', 'cgroupfs'),
  }),
  fc.record({ memoryThrottlingFactor: fc.constantFrom(0.25, 0.5, 1) }),
  fc.record({
    systemReserved: fc.record({ cpu: fc.constantFrom('100m', '2'), memory: fc.constantFrom('1Gi', '500Mi') }),
  }),
  fc.record({ evictionHard: fc.record({ 'memory.available': fc.constantFrom('5%', '1Gi') }) }),
  fc.record({
    staticPodURLHeader: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.array(fc.string({ minLength: 1 }))),
  }),
  fc.record({ featureGates: fc.record({ EventedPLEG: fc.boolean(), MemoryQoS: fc.boolean() }) }),
  fc.record({ logging: fc.record({ verbosity: fc.nat({ max: 10 }), format: fc.constantFrom('text', 'json') }) }),
  fc.record({ serializeImagePulls: fc.constant(false), maxParallelImagePulls: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ reservedMemory: fc.constant([{ numaNode: 1, limits: { memory: '1Gi' } }]) }),
  fc.record({ syncFrequency: fc.integer({ min: 1, max: 1e9 }), imageMinimumGCAge: fc.integer({ min: 1, max: 1e9 }) }),
];

/** A file as written by a person: durations as Go text. */
const written = (fields: Fields): string =>
  stringify(
    Object.fromEntries(
      Object.entries(fields).map(([name, value]) => {
        const spec = (configFields as Readonly<Record<string, { readonly type: string } | undefined>>)[name];
        return [name, spec?.type.startsWith('duration') === true ? formatGoDuration(Number(value)) : value];
      }),
    ),
  );

const anySubset: fc.Arbitrary<Fields> = fc
  .subarray([...groups])
  .chain((chosen) => fc.tuple(...chosen))
  .map((parts) => Object.assign({}, ...parts) as Fields);

describe('any set of valid fields', () => {
  it('is read back as written, with defaults for all other fields', async () => {
    await fc.assert(
      fc.asyncProperty(anySubset, async (fields) => {
        const body = Object.keys(fields).length === 0 ? '' : written(fields);
        const config = await configOf({ body });
        expect(config).toMatchObject(fields);
        const untouched = Object.entries(defaultConfiguration()).filter(([name]) => !Object.hasOwn(fields, name));
        expect(config).toMatchObject(Object.fromEntries(untouched));
      }),
    );
  });

  it('with one unknown field has exactly one problem, at the path of that field', async () => {
    const structs = Object.entries(configFields).filter(([, { type }]) => shapeOf(type).kind === 'struct');
    const parents = fc.option(fc.constantFrom(...structs.map(([name]) => name)), { nil: undefined });
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z_0-9]{0,20}$/).map((word) => `${word}Xyz`);
    await fc.assert(
      fc.asyncProperty(anySubset, parents, name, async (fields, parent, unknown) => {
        const { [parent ?? '']: _, ...others } = fields;
        const wrong = parent === undefined ? { [unknown]: 1 } : { [parent]: { [unknown]: 1 } };
        const problems = await problemsOf({ body: written({ ...others, ...wrong }) });
        expect(problems.map(({ path }) => path)).toEqual([parent === undefined ? unknown : `${parent}.${unknown}`]);
      }),
    );
  });
});

describe('any text', () => {
  const bits = [
    'maxPods',
    'logging',
    'evictionHard',
    '__proto__',
    ': ',
    '- ',
    '\n',
    '\n  ',
    '? ',
    '[',
    ']',
    '{',
    '}',
    '1',
    '"',
    '&a ',
    '*a',
    '!!int ',
    '|\n',
    '~',
    ',',
    '<<',
  ];
  it('in a file gives a configuration or problems, and never an exception', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.constantFrom(...bits), fc.string())), async (parts) => {
        const loaded = await load({ body: parts.join('') });
        expect(loaded.ok || loaded.problems.length > 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    '? [1, 2]\n: 3\n',
    'constructor: 1\n',
    '__proto__: {}\n',
    `a: ${'['.repeat(20_000)}`,
    'evictionHard: &a {x: *a}\n',
  ])('like %.40j gives problems', async (body) => {
    expect((await problemsOf({ body })).length).toBeGreaterThan(0);
  });

  it('as a flag gives a configuration or problems, and never an exception', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.oneof(fc.constantFrom(...flagNames), fc.string()), fc.string()),
        async (flags) => {
          const loaded = await load({ flags });
          expect(loaded.ok || loaded.problems.length > 0).toBe(true);
        },
      ),
    );
  });
});
