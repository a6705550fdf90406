/** A container that cannot be configured yet. The failure is shown as its waiting reason, and the start is retried. */
export interface ConfigError {
  readonly ok: false;
  readonly reason: 'CreateContainerConfigError';
  readonly message: string;
}

export const configError = (message: string): ConfigError => ({
  ok: false,
  reason: 'CreateContainerConfigError',
  message,
});
