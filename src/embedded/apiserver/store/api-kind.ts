import type { Clock } from '../../../actor/clock.ts';
import type { Random } from '../../../actor/random.ts';
import type { Shape } from '../../../kube/manifest/decode-shape.ts';
import type { ApiObject } from './api-object.ts';
import type { SelectableFields } from './field-selector.ts';
import type { StatusCause } from './refusal.ts';

/** Who asks. */
export interface ApiUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the rules of a kind may use: they read, and never write. */
export interface KindContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly makeUid: () => string;
  readonly user: ApiUser;
  /** Any stored object, by its resource (`nodes`, `leases.coordination.k8s.io`). */
  readonly get: (resource: string, namespace: string | undefined, name: string) => ApiObject | undefined;
  readonly list: (resource: string) => Iterable<ApiObject>;
  readonly serviceAccountAdmission: boolean;
}

/** What is particular about a kind. Where a rule is absent, the kind has nothing to say. */
export interface KindRules {
  /** Fills in defaults and what admission adds. May throw a `Refusal`. */
  readonly prepareCreate?: (object: ApiObject, context: KindContext) => ApiObject;
  /** Fills in defaults of what was written over an older object. */
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject, context: KindContext) => ApiObject;
  /** Fills in what the API writes into every status. */
  readonly prepareStatus?: (object: ApiObject) => ApiObject;
  readonly validate?: (object: ApiObject) => readonly StatusCause[];
  /** Last of all, on what is about to be written: throws a `Refusal` where that is not for its writer to do. */
  readonly admit?: (object: ApiObject, context: KindContext) => void;
  readonly validateUpdate?: (object: ApiObject, old: ApiObject) => readonly StatusCause[];
  /** Throws a `Refusal` where the object is never to be deleted. */
  readonly refuseDelete?: (object: ApiObject) => void;
  /** How long the object lives on once its deletion is asked for. Undefined: the kind has no such thing. */
  readonly gracePeriodSeconds?: (object: ApiObject, asked: number | undefined) => number;
}

export type KindVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** A kind of object that is stored, as one version of one group shows it. */
export interface ApiKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural under which it is found. */
  readonly resource: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly shape: Shape;
  readonly hasStatus: boolean;
  /** Whether a changed spec counts up `metadata.generation`. */
  readonly hasGeneration: boolean;
  readonly fields: SelectableFields;
  readonly rules: KindRules;
  /** Where its objects are kept; kinds that are two views of the same objects share one. */
  readonly storedAs: string;
  /** For a kind that is a view: from the stored object to this version, and back. */
  readonly view?: { readonly show: (stored: ApiObject) => ApiObject; readonly store: (shown: ApiObject) => ApiObject };
  /** Whether a PUT has to say which revision it replaces. */
  readonly needsRevision: boolean;
  /** Whether a PUT of an object that is not there makes it. */
  readonly createsOnUpdate: boolean;
}

export const qualifiedResource = (group: string, resource: string): string =>
  group === '' ? resource : `${resource}.${group}`;

export const apiVersionOf = ({ group, version }: Pick<ApiKind, 'group' | 'version'>): string =>
  group === '' ? version : `${group}/${version}`;
