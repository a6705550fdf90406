import type { Keyed } from '../../kube/text/own.ts';
import type { ServiceFacts } from './service-env.ts';

/** What asking for an object that a container's configuration refers to may give. */
export type Lookup<Value> =
  | { readonly type: 'found'; readonly value: Value }
  | { readonly type: 'missing' }
  /** Nobody can say now, and `message` why: an optional reference waits for it too. */
  | { readonly type: 'unavailable'; readonly message: string }
  /** This node cannot have the object, whatever its name: it runs without an API server. */
  | { readonly type: 'not-supported' };

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Where configuration that is not in the pod comes from. Every answer is at hand: who fills these has fetched the objects
 * before a container is configured.
 */
export interface ConfigSources {
  /** The text entries of a ConfigMap. */
  configMap(name: ObjectName): Lookup<Keyed<string>>;
  /** The entries of a Secret, decoded. */
  secret(name: ObjectName): Lookup<Keyed<string>>;
  /** All services; `missing` until they were read once. */
  services(): Lookup<readonly ServiceFacts[]>;
  /** The content of a file in a volume that is mounted for the pod; `missing` when it cannot be read. */
  volumeFile(file: { readonly volumeHostPath: string; readonly path: string }): Lookup<string>;
}

/** The sources of a node without an API server. */
export const noConfigSources: ConfigSources = {
  configMap: () => ({ type: 'not-supported' }),
  secret: () => ({ type: 'not-supported' }),
  services: () => ({ type: 'not-supported' }),
  volumeFile: () => ({ type: 'not-supported' }),
};
