import { objectProblem } from '../../src/api/answer-shapes.ts';
import { claimedName } from '../../src/api/object-meta.ts';
import type { ObjectCheck } from '../../src/api/reflector/reflector.ts';
import type { ServiceFacts } from '../../src/pod/cri-config/service-env.ts';
import type { ConfigMapContent, RuntimeClassContent, SecretContent } from './protocol.ts';

/** Before anything is read of an object: whether it has the shape of its resource. */
export const checkOf = (resource: string, keyIn: ObjectCheck['keyIn']): ObjectCheck => ({
  problemOf: (object) => objectProblem(resource, object),
  keyIn,
});

export const nameIn = (object: unknown): string | undefined => claimedName(object).name;

interface ApiObject {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
  };
}

/** The cached part of an object, and whether the object is immutable. */
export interface Kept<T> {
  readonly name: string;
  readonly content: T;
  readonly immutable: boolean;
}

export function readConfigMap(object: unknown): Kept<ConfigMapContent> | undefined {
  // The API client has checked `metadata`; the other members are checked here.
  const { metadata, data, binaryData, immutable } = (object ?? {}) as ApiObject & Record<string, unknown>;
  if (metadata?.name === undefined) return undefined;
  return {
    name: metadata.name,
    immutable: immutable === true,
    content: { resourceVersion: metadata.resourceVersion ?? '', data: texts(data), binaryData: texts(binaryData) },
  };
}

export function readSecret(object: unknown): Kept<SecretContent> | undefined {
  // The API client has checked `metadata`; the other members are checked here.
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
  // The API client has checked `metadata`; the handler is checked here.
  const { metadata, handler } = (object ?? {}) as ApiObject & Record<string, unknown>;
  return metadata?.name === undefined || typeof handler !== 'string' ? undefined : { name: metadata.name, handler };
}

export function readService(object: unknown): ServiceFacts | undefined {
  // The API client has checked `metadata`; the members of `spec` are checked here.
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
      // Members of any object are unknown, and each is checked below.
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
