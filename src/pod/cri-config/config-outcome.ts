/** A container that cannot be configured as things are: shown as its waiting reason, and tried again. */
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
