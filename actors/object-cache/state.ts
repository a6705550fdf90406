import { objectProblem } from '../../src/api/answer-shapes.ts';
import { claimedName } from '../../src/api/object-meta.ts';
import type { ObjectCheck } from '../../src/api/reflector/reflector.ts';
import type { ServiceFacts } from '../../src/pod/cri-config/service-env.ts';
import type { ConfigMapContent, RuntimeClassContent, SecretContent, TokenContent, TokenQuestion } from './protocol.ts';

/** `configMapAndSecretChangeDetectionStrategy`. */
export type ChangeDetection = 'Watch' | 'Cache' | 'Get';

/**
 * Each watch of one object is a connection of its own. Objects beyond this number are fetched from time to time
 * instead.
 */
export const MOST_WATCHES = 200;
/** The highest age of an answer without a watch, in milliseconds. */
export const KEPT_FOR_MS = 60_000;
/** An object without questions for this long is dropped. Volumes ask every minute or two. */
export const IDLE_MS = 300_000;

/** How the content of an object is obtained. */
export type Way = 'watch' | 'kept' | 'ask';

export interface AskedObject {
  readonly strategy: ChangeDetection;
  /** `true` if the object is watched already. */
  readonly isWatched: boolean;
  readonly watches: number;
  /** Monotonic instant of the last fetch; `undefined` when nothing is known. */
  readonly fetchedAt: number | undefined;
  /** `true` if this pod has asked for the object before. */
  readonly isKnownPod: boolean;
  readonly now: number;
}

export function wayTo({ strategy, isWatched, watches, fetchedAt, isKnownPod, now }: AskedObject): Way {
  if (strategy === 'Get') return 'ask';
  if (isWatched || (strategy === 'Watch' && watches < MOST_WATCHES)) return 'watch';
  return fetchedAt !== undefined && isKnownPod && now - fetchedAt < KEPT_FOR_MS ? 'kept' : 'ask';
}

// ---- tokens ----------------------------------------------------------------------------------------------------------

export interface KeptToken extends TokenContent {
  /** Monotonic instant. */
  readonly madeAt: number;
  readonly expirationSeconds: number;
  /** Random part of ten seconds, so that tokens made together are not renewed together. */
  readonly jitterMs: number;
}

const DAY_MS = 24 * 3_600_000;
export const TOKEN_JITTER_MS = 10_000;

/**
 * `true` if the token must be replaced: after a day, or with a fifth of its life left. Both clocks count: the wall
 * clock may be set back, and the monotonic clock stops while the machine sleeps.
 */
export function isDueForRenewal(
  { expiresAt, madeAt, expirationSeconds, jitterMs }: KeptToken,
  { now, monotonic }: { readonly now: number; readonly monotonic: number },
): boolean {
  const lifeMs = expirationSeconds * 1000;
  const ageMs = Math.max(now - (expiresAt - lifeMs), monotonic - madeAt);
  return ageMs > Math.min(DAY_MS, 0.8 * lifeMs) - jitterMs;
}

export const tokenKey = ({ namespace, serviceAccount, audiences, expirationSeconds, pod }: TokenQuestion): string =>
  JSON.stringify([namespace, serviceAccount, audiences, expirationSeconds, pod.name, pod.uid]);

export const tokenRequest = ({ audiences, expirationSeconds, pod }: TokenQuestion): object => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  spec: {
    audiences,
    expirationSeconds,
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid },
  },
});

/** `undefined` when the answer holds no token. */
export function tokenIn(answer: unknown): TokenContent | undefined {
  const { status } = (answer ?? {}) as { status?: { token?: unknown; expirationTimestamp?: unknown } };
  const expiresAt = Date.parse(String(status?.expirationTimestamp));
  if (typeof status?.token !== 'string' || status.token === '' || Number.isNaN(expiresAt)) return undefined;
  return { token: status.token, expiresAt };
}

// ---- checking objects ------------------------------------------------------------------------------------------------

/** The check of an object's shape against its resource, made before the object is read. */
export const checkOf = (resource: string, keyIn: ObjectCheck['keyIn']): ObjectCheck => ({
  problemOf: (object) => objectProblem(resource, object),
  keyIn,
});

export const nameIn = (object: unknown): string | undefined => claimedName(object).name;

// ---- reading objects -------------------------------------------------------------------------------------------------

interface ApiObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

/** The cached part of an object. `immutable`: the object can never change. */
export interface Kept<T> {
  readonly name: string;
  readonly content: T;
  readonly immutable: boolean;
}

export function readConfigMap(object: unknown): Kept<ConfigMapContent> | undefined {
  const { metadata, data, binaryData, immutable } = (object ?? {}) as ApiObject & Record<string, unknown>;
  if (metadata?.name === undefined) return undefined;
  return {
    name: metadata.name,
    immutable: immutable === true,
    content: { resourceVersion: metadata.resourceVersion ?? '', data: texts(data), binaryData: texts(binaryData) },
  };
}

export function readSecret(object: unknown): Kept<SecretContent> | undefined {
  const { metadata, data, type, immutable } = (object ?? {}) as ApiObject & Record<string, unknown>;
  if (metadata?.name === undefined) return undefined;
  return {
    name: metadata.name,
    immutable: immutable === true,
    content: {
      resourceVersion: metadata.resourceVersion ?? '',
      uid: metadata.uid ?? '',
      type: typeof type === 'string' ? type : 'Opaque',
      data: texts(data),
    },
  };
}

export function readRuntimeClass(object: unknown): (RuntimeClassContent & { readonly name: string }) | undefined {
  const { metadata, handler } = (object ?? {}) as ApiObject & Record<string, unknown>;
  return metadata?.name === undefined || typeof handler !== 'string' ? undefined : { name: metadata.name, handler };
}

export function readService(object: unknown): ServiceFacts | undefined {
  const { metadata, spec } = (object ?? {}) as ApiObject & {
    readonly spec?: { readonly clusterIP?: unknown; readonly ports?: unknown };
  };
  if (metadata?.name === undefined || metadata.namespace === undefined) return undefined;
  const ports: readonly unknown[] = Array.isArray(spec?.ports) ? spec.ports : [];
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    clusterIP: typeof spec?.clusterIP === 'string' ? spec.clusterIP : '',
    ports: ports.flatMap((port) => {
      const { name, protocol, port: number } = (port ?? {}) as Record<string, unknown>;
      if (typeof number !== 'number') return [];
      return [
        {
          port: number,
          ...(typeof name === 'string' && { name }),
          ...(typeof protocol === 'string' && { protocol }),
        },
      ];
    }),
  };
}

function texts(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
