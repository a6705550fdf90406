/** The configuration forbids the agent on this host. The agent itself works. */
export class UnsuitableHost extends Error {
  override readonly name = 'HostUnfit';
}
