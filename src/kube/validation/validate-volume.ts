import { checkOneOf, checkRule, checkUnique, REQUIRED } from './field-checks.ts';
import type { FieldChecks } from './field-checks.ts';
import { whyNoDnsLabel, whyNoDnsSubdomain } from './name-rules.ts';
import { own } from '../text/own.ts';
import type { Volume } from '../pod.ts';
import { parseQuantity } from '../quantity.ts';

type Members = Readonly<Record<string, unknown>>;

const HOST_PATH_TYPES = [
  '',
  'DirectoryOrCreate',
  'Directory',
  'FileOrCreate',
  'File',
  'Socket',
  'CharDevice',
  'BlockDevice',
];
const MEDIUMS = /^(?:|Memory|HugePages(?:-.+)?)$/;

// The type leaves volume sources open; `decodeShape` has checked the members that are read here.
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const itemsOf = (value: unknown): readonly Members[] => (Array.isArray(value) ? value.map(membersOf) : []);

export function validateVolumes(checks: FieldChecks, volumes: readonly Volume[]): void {
  checkUnique(
    checks,
    volumes.map(({ name }) => name),
    (index) => [index, 'name'],
  );
  for (const [index, volume] of volumes.entries()) validateVolume(checks.below(index), volume);
}

function validateVolume(checks: FieldChecks, volume: Volume): void {
  if (!volume.name) checks.report(['name'], undefined, REQUIRED);
  else checkRule(checks, [['name'], volume.name], whyNoDnsLabel);
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  if (sources.length > 1) checks.report([], undefined, `must have one source, not ${sources.join(' and ')}`);
  for (const source of sources) validateSource(checks.below(source), source, membersOf(own(volume, source)));
}

function validateSource(checks: FieldChecks, source: string, value: Members): void {
  switch (source) {
    case 'hostPath':
      checkHostPath(checks, value);
      break;
    case 'emptyDir':
      checkEmptyDir(checks, value);
      break;
    case 'configMap':
      required(checks, value, 'name');
      checkItems(checks, value);
      break;
    case 'secret':
      required(checks, value, 'secretName');
      checkItems(checks, value);
      break;
    case 'downwardAPI':
      checkItems(checks, value);
      break;
    case 'projected':
      for (const [index, projection] of itemsOf(value['sources']).entries()) {
        checkProjection(checks.below('sources', index), projection);
      }
      break;
    case 'persistentVolumeClaim':
      required(checks, value, 'claimName');
      break;
    case 'csi':
      required(checks, value, 'driver');
      break;
    case 'nfs':
      required(checks, value, 'server');
      required(checks, value, 'path');
      break;
    case 'image':
      required(checks, value, 'reference');
      checkOneOf(
        checks,
        [['pullPolicy'], textOf(value['pullPolicy']) || undefined],
        ['Always', 'IfNotPresent', 'Never'],
      );
      break;
    default:
      break;
  }
}

function required(checks: FieldChecks, value: Members, member: string): void {
  if (!own(value, member)) checks.report([member], undefined, REQUIRED);
}

function checkHostPath(checks: FieldChecks, value: Members): void {
  const path = textOf(value['path']);
  if (path === '') checks.report(['path'], undefined, REQUIRED);
  else if (path.split('/').includes('..')) checks.report(['path'], path, 'must not contain ".."');
  checkOneOf(checks, [['type'], textOf(value['type'])], HOST_PATH_TYPES);
}

function checkEmptyDir(
  checks: FieldChecks,
  { medium, sizeLimit }: { readonly medium?: unknown; readonly sizeLimit?: unknown },
): void {
  if (!MEDIUMS.test(textOf(medium))) checks.report(['medium'], medium, 'must be Memory, HugePages or absent');
  const parsed = typeof sizeLimit === 'string' ? parseQuantity(sizeLimit) : undefined;
  if (parsed?.ok === true && parsed.quantity.nano < 0n) checks.report(['sizeLimit'], sizeLimit, 'must not be negative');
}

/** Checks the files of a volume that is made from an object. */
function checkItems(checks: FieldChecks, value: Members): void {
  checkMode(checks, 'defaultMode', value['defaultMode']);
  for (const [index, item] of itemsOf(value['items']).entries()) {
    const path = textOf(item['path']);
    if (path === '') checks.report(['items', index, 'path'], undefined, REQUIRED);
    else if (path.startsWith('/') || path.split('/').includes('..')) {
      checks.report(['items', index, 'path'], path, 'must be relative and without ".."');
    }
    checkMode(checks.below('items', index), 'mode', item['mode']);
  }
}

function checkMode(checks: FieldChecks, member: string, mode: unknown): void {
  if (typeof mode === 'number' && (mode < 0 || mode > 0o777))
    checks.report([member], mode, 'must be between 0 and 0777');
}

function checkProjection(checks: FieldChecks, projection: Members): void {
  const parts = Object.keys(projection);
  if (parts.length !== 1) checks.report([], undefined, 'must have exactly one source');
  for (const part of parts) {
    const value = membersOf(own(projection, part));
    checkItems(checks.below(part), value);
    if (part === 'configMap' || part === 'secret') {
      required(checks.below(part), value, 'name');
      if (value['name']) checkRule(checks, [[part, 'name'], textOf(value['name'])], whyNoDnsSubdomain);
    }
    if (part === 'serviceAccountToken') required(checks.below(part), value, 'path');
  }
}
