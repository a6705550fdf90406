/** A case that once showed something, kept as a file. */
export interface KeptCase {
  readonly target: string;
  /** What it has shown, in words. */
  readonly shows: string;
  readonly case: unknown;
}
