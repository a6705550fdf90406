import type { WallMs } from '../../../actor/clock.ts';
import type { ApiObject } from '../store/api-object.ts';

/** A column of a table as `kubectl get` shows it. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer';
  readonly format?: 'name';
  /** Shown only with `-o wide`. */
  readonly wide?: true;
  readonly description: string;
  readonly cell: (object: ApiObject, now: WallMs) => string | number;
}
