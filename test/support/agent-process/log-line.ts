/** One line of the agent's log. */
export interface LogLine {
  readonly level: string;
  /** An ISO instant. */
  readonly time: string;
  readonly msg: string;
  readonly thread?: string;
  readonly [field: string]: unknown;
}
