export type GateStage = 'Alpha' | 'Beta' | 'GA' | 'Deprecated';

export interface GateSpec {
  readonly stage: GateStage;
  readonly on: boolean;
  /** A locked gate can be named, but only with the value it has. */
  readonly locked?: true;
  /** Gates that must be on when this gate is on. */
  readonly needs?: readonly string[];
}
