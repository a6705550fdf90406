import { describe, expect, expectTypeOf, it } from 'vitest';
import { actedOn } from '../../../src/config/fields/acted-on.ts';
import { configFields, fieldSpecAt, type ConfigPath } from '../../../src/config/fields/config-fields.ts';
import { structFields } from '../../../src/config/fields/config-structs.ts';
import type { GateSpec } from '../../../src/config/gate-spec.ts';
import { featureGates } from '../../../src/config/feature-gates.ts';
import { flagNames, flagSpec, flagTable } from '../../../src/config/flags/flag-table.ts';
import type { KubeletConfiguration } from '../../../src/config/fields/kubelet-configuration.ts';
import { parseGoDuration } from '../../../src/kube/text/go-duration.ts';
import { defaultConfiguration } from '../../../src/config/load-configuration.ts';
import golden from '../../golden/kubelet-config-fields.json' with { type: 'json' };

/** Durations are milliseconds here, and a missing list or map is empty. */
function inOurTerms(name: string, value: unknown): unknown {
  const type = fieldSpecAt(name)?.type ?? '';
  if (type.startsWith('duration')) return parseGoDuration(String(value));
  if (value !== null) return value;
  if (type.startsWith('map<')) return {};
  return type.endsWith('[]') ? [] : null;
}

describe('the field table', () => {
  it('has every field of KubeletConfiguration v1beta1 and no other', () => {
    expect(Object.keys(configFields).sort()).toEqual(golden.fields.toSorted());
  });

  it.each(Object.entries(golden.structs))('has every field of %s', (name, fields) => {
    const table = (structFields as Readonly<Record<string, object>>)[name];
    expect(Object.keys(table ?? {})).toEqual(fields);
  });

  const otherwise = ['evictionHard', 'contentType'];
  const withDefault = Object.entries(golden.defaults).filter(([name]) => !otherwise.includes(name));
  it.each(withDefault)('gives %s the default of Kubernetes: %j', (name, expected) => {
    const actual = (defaultConfiguration() as unknown as Readonly<Record<string, unknown>>)[name];
    expect(actual).toEqual(inOurTerms(name, expected));
  });

  // At the start of a thousand pods, protobuf costs this agent 7 % more CPU than JSON.
  it('gives contentType JSON, which costs the agent less', () => {
    expect(defaultConfiguration().contentType).toBe('application/json');
  });

  it('knows every field listed as acted on', () => {
    expect([...actedOn].filter((path) => fieldSpecAt(path) === undefined)).toEqual([]);
  });
});

describe('the type of a configuration', () => {
  it('has the fields of the tables, as they are filled in', () => {
    expectTypeOf<keyof KubeletConfiguration>().toEqualTypeOf<keyof typeof configFields>();
    expectTypeOf<KubeletConfiguration['syncFrequency']>().toEqualTypeOf<number>();
    expectTypeOf<KubeletConfiguration['clusterDNS']>().toEqualTypeOf<readonly string[]>();
    expectTypeOf<KubeletConfiguration['featureGates']>().toEqualTypeOf<Readonly<Record<string, boolean>>>();
    expectTypeOf<KubeletConfiguration['reservedMemory'][number]['limits']>().toEqualTypeOf<
      Readonly<Record<string, string>>
    >();
    expectTypeOf<KubeletConfiguration['authentication']['webhook']['cacheTTL']>().toEqualTypeOf<number>();
  });

  it('has null only where a pointer has no default', () => {
    expectTypeOf<KubeletConfiguration['singleProcessOOMKill']>().toEqualTypeOf<boolean | null>();
    expectTypeOf<KubeletConfiguration['crashLoopBackOff']['maxContainerRestartPeriod']>().toEqualTypeOf<
      number | null
    >();
    expectTypeOf<KubeletConfiguration['registerNode']>().toEqualTypeOf<boolean>();
    expectTypeOf<KubeletConfiguration['serializeImagePulls']>().toEqualTypeOf<boolean>();
  });

  it('knows each field by its path, and no other path', () => {
    expectTypeOf<'port' | 'authentication.webhook.cacheTTL' | 'tracing.endpoint'>().toExtend<ConfigPath>();
    expectTypeOf<'ports'>().not.toExtend<ConfigPath>();
    expectTypeOf<'port.name'>().not.toExtend<ConfigPath>();
    expectTypeOf<'authentication.webhook.cacheTtl'>().not.toExtend<ConfigPath>();
  });

  it('has no text that validation refuses', () => {
    expectTypeOf<KubeletConfiguration['cgroupDriver']>().toEqualTypeOf<'cgroupfs' | 'systemd'>();
    expectTypeOf<KubeletConfiguration['memorySwap']['swapBehavior']>().toEqualTypeOf<'' | 'NoSwap' | 'LimitedSwap'>();
  });
});

describe('the feature gates', () => {
  it('need only gates that are known', () => {
    const specs: readonly GateSpec[] = Object.values(featureGates);
    expect(specs.flatMap(({ needs = [] }) => needs).filter((gate) => !Object.hasOwn(featureGates, gate))).toEqual([]);
  });
});

describe('the flag table', () => {
  it('has every flag of the kubelet, except those of the command line itself', () => {
    const missing = golden.flags.filter((flag) => !flagNames.includes(flag));
    expect(missing).toEqual(['version', 'help']);
  });

  it.each(Object.entries(golden.flagFields))('maps --%s to %s', (flag, field) => {
    expect(flagSpec(flag)?.field).toBe(field);
  });

  it('names each flag once, with a field that exists and a text for people', () => {
    expect(new Set(flagNames).size).toBe(flagTable.length);
    expect(flagTable.filter(({ doc }) => doc === '')).toEqual([]);
    expect(flagTable.filter(({ field }) => field !== undefined && fieldSpecAt(field) === undefined)).toEqual([]);
  });
});
