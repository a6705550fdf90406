/** The configuration says that the agent must not run on such a host: nothing is wrong with the agent. */
export class HostUnfit extends Error {
  override readonly name = 'HostUnfit';
}
