import { describe, expect, it } from 'vitest';
import { keyed } from '../../src/kube/text/own.ts';
import { FOREIGN_NAMES } from '../support/foreign-names.ts';
import { configOf, problemsOf } from './load-support.ts';

// The names that every JavaScript object inherits, wherever a node's configuration has a key or a name.

const found = async (given: Parameters<typeof problemsOf>[0]): Promise<readonly string[]> =>
  (await problemsOf(given)).map(({ code, path }) => `${code} ${path}`);

describe.each(FOREIGN_NAMES)('a configuration that names %s', (name) => {
  const quoted = JSON.stringify(name);

  it.each([
    { what: 'as a field', body: `${name}: 1\n`, says: `unknown-field ${name}` },
    { what: 'as a field of a field', body: `logging: {${name}: 1}\n`, says: `unknown-field logging.${name}` },
    {
      what: 'as a feature gate',
      body: `featureGates: {${name}: true}\n`,
      says: `unknown-feature-gate featureGates[${quoted}]`,
    },
    { what: 'as a signal', body: `evictionHard: {${name}: 5%}\n`, says: `invalid-value evictionHard[${quoted}]` },
    {
      what: 'as a resource',
      body: `systemReserved: {${name}: "1"}\n`,
      says: `invalid-value systemReserved[${quoted}]`,
    },
    {
      what: 'as an option of a policy',
      body: `cpuManagerPolicyOptions: {${name}: "true"}\n`,
      says: `invalid-value cpuManagerPolicyOptions[${quoted}]`,
    },
    { what: 'as a unit of time', body: `syncFrequency: 1${name}\n`, says: `wrong-type syncFrequency` },
    { what: 'as an enumerated value', body: `cgroupDriver: ${name}\n`, says: `invalid-value cgroupDriver` },
  ])('$what is rejected', async ({ body, says }) => {
    expect(await found({ body })).toContain(says);
  });

  it.each([
    { flags: keyed([[name, 'x']]), says: 'unknown-flag ' },
    { flags: { 'feature-gates': `${name}=true` }, says: `unknown-feature-gate featureGates[${quoted}]` },
    { flags: { 'eviction-hard': `${name}<1Gi` }, says: `invalid-value evictionHard[${quoted}]` },
  ])('as a flag or in a flag is rejected: $flags', async ({ flags, says }) => {
    expect(await found({ flags })).toContain(says);
  });

  it('as a header is sent', async () => {
    const config = await configOf({ body: `staticPodURLHeader: {${name}: [x]}\n` });
    expect(Object.entries(config.staticPodURLHeader)).toEqual([[name, ['x']]]);
  });
});
