import type { ConfigPath } from '../fields/config-fields.ts';
import type { ValueType } from '../fields/config-schema.ts';

/** The notation of a flag's value. `text` and the scalars of a field are one value; the others are comma lists. */
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

/** A flag's row in the table. */
export interface FlagRow {
  readonly name: string;
  /** The path of the field that it sets. The flag then has the field's type and doc. */
  readonly field?: ConfigPath;
  readonly syntax?: FlagSyntax;
  readonly type?: ValueType;
  readonly doc?: string;
  /** The value without the flag and without a configuration file, when it differs from the field's default. */
  readonly legacyDefault?: number | boolean | string;
}

/** A flag with all data for the command line. */
export interface FlagSpec extends FlagRow {
  readonly type: ValueType;
  readonly syntax: FlagSyntax;
  readonly doc: string;
  /** Deprecated by Kubernetes in favour of the configuration file. The flag still works. */
  readonly deprecated: boolean;
}
