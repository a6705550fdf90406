/** The result of one run of a probe. */
export interface ProbeOutcome {
  /**
   * `warning`: a success that deserves attention. `error`: the probe could not run, which says nothing about the
   * container. `unheard`: the runtime or the connection failed; no event is recorded for this container.
   */
  readonly result: 'success' | 'warning' | 'failure' | 'error' | 'unheard';
  /** The container's answer, or the failure. */
  readonly output: string;
}

/** How much of an answer is kept. */
export const MAX_OUTPUT_BYTES = 10 * 1024;
