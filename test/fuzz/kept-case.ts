/** A case of an earlier finding, kept as a file. */
export interface KeptCase {
  readonly target: string;
  /** The finding, in words. */
  readonly shows: string;
  readonly case: unknown;
}
