/** What came of one run of a probe. */
export interface ProbeOutcome {
  /**
   * `warning` counts as a success that somebody should look at. `error`: the probe could not be made, which says nothing of
   * the container. `unheard`: nor does this, and the trouble is not this container's, so nothing is said of it.
   */
  readonly result: 'success' | 'warning' | 'failure' | 'error' | 'unheard';
  /** What the container answered, or what went wrong. */
  readonly output: string;
}

/** As much of an answer as is kept. */
export const MAX_OUTPUT_BYTES = 10 * 1024;
