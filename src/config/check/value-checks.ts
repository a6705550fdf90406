import { isIP } from 'node:net';
import { parseQuantity } from '../../kube/quantity.ts';
import { parseGoDuration } from '../../kube/text/go-duration.ts';

/** Checks of single values that a range or a list of words cannot express, each with the words for what it expects. */

interface Check {
  readonly expected: string;
  accepts(text: string): boolean;
}

const nano = (text: string): bigint | undefined => {
  const parsed = parseQuantity(text);
  return parsed.ok ? parsed.quantity.nano : undefined;
};

const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const LABEL_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const DNS_SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

export const isLabelValue = (text: string): boolean => LABEL_VALUE.test(text);
export const isDnsSubdomain = (text: string): boolean => DNS_SUBDOMAIN.test(text);

/** `true` for a label or taint key: a name, optionally with a DNS prefix and a slash. */
export function isQualifiedName(text: string): boolean {
  const slash = text.indexOf('/');
  return slash < 0
    ? LABEL_NAME.test(text)
    : isDnsSubdomain(text.slice(0, slash)) && LABEL_NAME.test(text.slice(slash + 1));
}

/** `true` for a list of CPUs in the kernel's notation: `0-3,8`. */
function isCpuSet(text: string): boolean {
  if (text === '') return true;
  return text.split(',').every((part) => {
    const [, first, last] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? [];
    return first !== undefined && (last === undefined || Number(first) <= Number(last));
  });
}

// An image repository: a registry host, then lowercase path parts; no tag, no digest.
const REPOSITORY = /^[a-zA-Z0-9.-]+(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*(\/\*)?$/;

const isTracingEndpoint = (text: string): boolean => {
  const scheme = /^([a-z-]+):(\/\/|[^\d/])/.exec(text)?.[1];
  return text !== '' && (scheme === undefined || ['dns', 'unix', 'unix-abstract'].includes(scheme));
};

const isCleanAbsolutePath = (text: string): boolean =>
  /^\/[\x20-\x7e]*$/.test(text) &&
  (text === '/' ||
    !text
      .slice(1)
      .split('/')
      .some((part) => part === '' || part === '.' || part === '..'));

const textChecks = {
  'non-empty': { expected: 'a value that is not empty', accepts: (text) => text !== '' },
  unset: { expected: 'nothing: this may not be set here', accepts: () => false },
  'ip-address': { expected: 'an IP address such as 10.96.0.10', accepts: (text) => isIP(text) !== 0 },
  quantity: { expected: 'an amount such as 10Mi', accepts: (text) => nano(text) !== undefined },
  'cpu-set': { expected: 'a list of CPUs such as 0-3,8', accepts: isCpuSet },
  'clean-absolute-path': {
    expected: 'an absolute path in ASCII, without a trailing slash, empty parts, . or ..',
    accepts: isCleanAbsolutePath,
  },
  'image-pattern': {
    expected: 'an image repository without tag or digest, with /* at the end at most',
    accepts: (text) => REPOSITORY.test(text),
  },
  'tracing-endpoint': {
    expected: 'host:port, or an address with the scheme dns, unix or unix-abstract',
    accepts: isTracingEndpoint,
  },
  'file-pattern': { expected: 'a file pattern without = or ,', accepts: (text) => text !== '' && !/[=,]/.test(text) },
  'qualified-name': { expected: 'a name such as example.com/dedicated', accepts: isQualifiedName },
  'label-value': { expected: 'at most 63 letters, digits, -, _ and .', accepts: isLabelValue },
} as const satisfies Readonly<Record<string, Check>>;

export type TextCheck = keyof typeof textChecks;

export const textCheck = (name: TextCheck): Check => textChecks[name];

/** Checks of one entry of a map: first of its key, then of its value. */
export interface EntryChecks {
  readonly keys: readonly string[] | RegExp;
  readonly keyExpected: string;
  readonly value: Check;
}

// The signals thresholds may be set on (`allocatableMemory.available` is derived, yet it may be set).
const evictionSignals = [
  'memory.available',
  'allocatableMemory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'containerfs.available',
  'containerfs.inodesFree',
  'pid.available',
];
const keyExpected = `one of the eviction signals ${evictionSignals.join(', ')}`;

function percent(text: string): number | undefined {
  const digits = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const isThreshold = (text: string): boolean => {
  if (text.endsWith('%')) return (percent(text) ?? 101) <= 100;
  return (nano(text) ?? 0n) > 0n;
};
const isReclaim = (text: string): boolean => {
  if (text.endsWith('%')) return (percent(text) ?? 0) > 0;
  return (nano(text) ?? -1n) >= 0n;
};
const amountFromZero: Check = {
  expected: 'an amount of 0 or more, such as 500Mi',
  accepts: (text) => (nano(text) ?? -1n) >= 0n,
};
const booleanText: Check = {
  expected: '"true" or "false"',
  accepts: (text) => /^([tTfF01]|true|TRUE|True|false|FALSE|False)$/.test(text),
};

const entryChecks = {
  'eviction-threshold': {
    keys: evictionSignals,
    keyExpected,
    value: { expected: 'an amount above 0 such as 100Mi, or a percentage from 0% to 100%', accepts: isThreshold },
  },
  'eviction-grace-period': {
    keys: evictionSignals,
    keyExpected,
    value: {
      expected: 'a duration of 0 or more, such as 1m30s',
      accepts: (text) => (parseGoDuration(text) ?? -1) >= 0,
    },
  },
  'eviction-reclaim': {
    keys: evictionSignals,
    keyExpected,
    value: { expected: 'an amount of 0 or more such as 500Mi, or a percentage above 0%', accepts: isReclaim },
  },
  'reserved-resource': {
    keys: ['cpu', 'memory', 'ephemeral-storage', 'pid'],
    keyExpected: 'one of the resources cpu, memory, ephemeral-storage, pid',
    value: amountFromZero,
  },
  'reserved-memory': {
    keys: /^(memory|hugepages-\S+)$/,
    keyExpected: 'memory or hugepages-<size>',
    value: { expected: 'an amount above 0, such as 1Gi', accepts: (text) => (nano(text) ?? 0n) > 0n },
  },
  'qos-reserved': {
    keys: ['memory'],
    keyExpected: 'memory, the only resource this is for',
    value: {
      expected: 'a whole percentage from 0% to 100%',
      accepts: (text) => /^\d+%$/.test(text) && (percent(text) ?? 101) <= 100,
    },
  },
  'cpu-manager-option': {
    keys: [
      'full-pcpus-only',
      'strict-cpu-reservation',
      'prefer-align-cpus-by-uncorecache',
      'distribute-cpus-across-numa',
      'align-by-socket',
      'distribute-cpus-across-cores',
    ],
    keyExpected: 'a CPU manager policy option',
    value: booleanText,
  },
  'topology-manager-option': {
    keys: ['prefer-closest-numa-nodes', 'max-allowable-numa-nodes'],
    keyExpected: 'prefer-closest-numa-nodes or max-allowable-numa-nodes',
    value: {
      expected: '"true" or "false", or for max-allowable-numa-nodes a number from 8',
      accepts: isTopologyOption,
    },
  },
} as const satisfies Readonly<Record<string, EntryChecks>>;

function isTopologyOption(text: string): boolean {
  return booleanText.accepts(text) || (/^\d{1,6}$/.test(text) && Number(text) >= 8);
}

export type EntryCheck = keyof typeof entryChecks;

export const entryCheck = (name: EntryCheck): EntryChecks => entryChecks[name];
