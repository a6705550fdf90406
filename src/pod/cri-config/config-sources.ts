import type { Keyed } from '../../kube/text/own.ts';
import type { ServiceFacts } from './service-env.ts';

/** The result of looking up an object that a container's configuration refers to. */
export type Lookup<Value> =
  | { readonly type: 'found'; readonly value: Value }
  | { readonly type: 'missing' }
  /** The object cannot be looked up now, and `message` says why. An optional reference waits as well. */
  | { readonly type: 'unavailable'; readonly message: string }
  /** This node cannot read objects of this kind at all, because the node runs without an API server. */
  | { readonly type: 'not-supported' };

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Configuration that comes from outside the pod. Every lookup answers at once: the caller fetches all objects before a
 * container is configured.
 */
export interface ConfigSources {
  /** Returns the text entries of a ConfigMap. */
  configMap(name: ObjectName): Lookup<Keyed<string>>;
  /** Returns the decoded entries of a Secret. */
  secret(name: ObjectName): Lookup<Keyed<string>>;
  /** Returns all services; `missing` before the first read. */
  services(): Lookup<readonly ServiceFacts[]>;
  /** Returns the content of a file in a volume that is mounted for the pod; `missing` when the file cannot be read. */
  volumeFile(file: { readonly volumeHostPath: string; readonly path: string }): Lookup<string>;
}

/** The sources of a node without an API server. */
export const noConfigSources: ConfigSources = {
  configMap: () => ({ type: 'not-supported' }),
  secret: () => ({ type: 'not-supported' }),
  services: () => ({ type: 'not-supported' }),
  volumeFile: () => ({ type: 'not-supported' }),
};
