import type { Clock } from '../../../actor/clock.ts';
import type { Random } from '../../../actor/random.ts';
import type { Shape } from '../../../kube/manifest/decode-shape.ts';
import type { ApiObject } from './api-object.ts';
import type { SelectableFields } from './field-selector.ts';
import type { StatusCause } from './refusal.ts';

/** The user of a request. */
export interface ApiUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Objects that the rules of a kind may read. Rules never write. */
export interface KindContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly makeUid: () => string;
  readonly user: ApiUser;
  /** Returns any stored object, by its resource (`nodes`, `leases.coordination.k8s.io`). */
  readonly get: (resource: string, namespace: string | undefined, name: string) => ApiObject | undefined;
  readonly list: (resource: string) => Iterable<ApiObject>;
  readonly serviceAccountAdmission: boolean;
}

/** The rules of a kind. An absent rule means no special behaviour. */
export interface KindRules {
  /** Fills in defaults and admission's additions. May throw a `Refusal`. */
  readonly prepareCreate?: (object: ApiObject, context: KindContext) => ApiObject;
  /** Fills in defaults of an update. */
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject, context: KindContext) => ApiObject;
  /** Fills in members that the API writes into every status. */
  readonly prepareStatus?: (object: ApiObject) => ApiObject;
  readonly validate?: (object: ApiObject) => readonly StatusCause[];
  /** Runs last, on the object to be written. Throws a `Refusal` when its writer may not write it. */
  readonly admit?: (object: ApiObject, context: KindContext) => void;
  readonly validateUpdate?: (object: ApiObject, old: ApiObject) => readonly StatusCause[];
  /** Throws a `Refusal` for an object that must never be deleted. */
  readonly refuseDelete?: (object: ApiObject) => void;
  /**
   * Returns how long the object lives on after a deletion request. `undefined` when the kind has no grace period.
   */
  readonly gracePeriodSeconds?: (object: ApiObject, asked: number | undefined) => number;
}

export type KindVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A stored kind of object, as one version of one group shows it. */
export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural name in paths. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly shape: Shape;
  readonly hasStatus: boolean;
  /** `true` if a changed spec increments `metadata.generation`. */
  readonly hasGeneration: boolean;
  readonly fields: SelectableFields;
  readonly rules: KindRules;
  /** The collection of its objects; two kinds that are views of the same objects share one. */
  readonly storedAs: string;
  /** Set for a view: converts the stored object to this version, and back. */
  readonly view?: { readonly show: (stored: ApiObject) => ApiObject; readonly store: (shown: ApiObject) => ApiObject };
  /** `true` if a PUT must name the revision that it replaces. */
  readonly needsRevision: boolean;
  /** `true` if a PUT creates an object that does not exist. */
  readonly createsOnUpdate: boolean;
}

export const qualifiedResource = (group: string, resource: string): string =>
  group === '' ? resource : `${resource}.${group}`;

export const apiVersionOf = ({ group, version }: Pick<ApiKind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;
