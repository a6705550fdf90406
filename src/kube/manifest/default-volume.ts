import { pullPolicyOf } from '../default-pull-policy.ts';
import { own } from '../text/own.ts';
import type { Volume } from '../pod.ts';

type Members = Readonly<Record<string, unknown>>;

/** Files made from API objects are readable by all (0644) unless the volume says otherwise. */
const DEFAULT_MODE = 0o644;

// The type leaves volume sources open; `decodeShape` has checked the members that are read here.
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns a volume with the API's defaults. A volume without any source is an `emptyDir`. */
export function defaultVolume(volume: Volume): Volume {
  const sources = Object.keys(volume).filter((key) => key !== 'name');
  if (sources.length === 0) return { ...volume, emptyDir: {} };
  let defaulted = volume;
  for (const source of sources) {
    const value = defaultSource(source, membersOf(own(volume, source)));
    if (value !== undefined) defaulted = { ...defaulted, [source]: value };
  }
  return defaulted;
}

function defaultSource(source: string, value: Members): Members | undefined {
  switch (source) {
    case 'hostPath':
      return { type: '', ...value };
    case 'secret':
    case 'configMap':
      return { defaultMode: DEFAULT_MODE, ...value };
    case 'downwardAPI':
      return { defaultMode: DEFAULT_MODE, ...value, ...withDefaultItems(value) };
    case 'projected':
      return { defaultMode: DEFAULT_MODE, ...value, sources: itemsOf(value['sources']).map(defaultProjection) };
    case 'image':
      return { pullPolicy: pullPolicyOf(typeof value['reference'] === 'string' ? value['reference'] : ''), ...value };
    default:
      return undefined;
  }
}

function defaultProjection(projection: unknown): Members {
  const members = membersOf(projection);
  const token = members['serviceAccountToken'];
  const downward = members['downwardAPI'];
  return {
    ...members,
    ...(token === undefined ? {} : { serviceAccountToken: { expirationSeconds: 3600, ...membersOf(token) } }),
    ...(downward === undefined
      ? {}
      : { downwardAPI: { ...membersOf(downward), ...withDefaultItems(membersOf(downward)) } }),
  };
}

/** Sets the defaults of downward API items: the API version of a field, and the unit of an amount. */
function withDefaultItems(value: Members): Members {
  if (value['items'] === undefined) return {};
  const items = itemsOf(value['items']).map((item) => {
    const members = membersOf(item);
    // Members of any object are unknown.
    const { fieldRef, resourceFieldRef } = members as {
      readonly fieldRef?: unknown;
      readonly resourceFieldRef?: unknown;
    };
    return {
      ...members,
      ...(fieldRef === undefined ? {} : { fieldRef: { apiVersion: 'v1', ...membersOf(fieldRef) } }),
      ...(resourceFieldRef === undefined ? {} : { resourceFieldRef: { divisor: '0', ...membersOf(resourceFieldRef) } }),
    };
  });
  return { items };
}
