import type { ValueType } from '../fields/config-schema.ts';

/** How the text of a flag is written. `text` and the scalars of a field are one value; the others are comma lists. */
export type FlagSyntax =
  | 'text'
  | 'list'
  | 'key=value'
  | 'signal<amount'
  | 'name:value'
  | 'taints'
  | 'reserved-memory'
  | 'pattern=level'
  | 'ignored';

/** A flag as it is written down. */
export interface FlagRow {
  readonly name: string;
  /** The field it sets, as a path. The type and the doc are then those of the field. */
  readonly field?: string;
  readonly syntax?: FlagSyntax;
  readonly type?: ValueType;
  readonly doc?: string;
  /** The value without the flag and without a configuration file, where that is not the default of the field. */
  readonly legacyDefault?: number | boolean | string;
}

/** A flag, with all that the command line needs to offer it. */
export interface FlagSpec extends FlagRow {
  readonly type: ValueType;
  readonly syntax: FlagSyntax;
  readonly doc: string;
  /** Deprecated by Kubernetes in favour of the configuration file; works all the same. */
  readonly deprecated: boolean;
}
