/** Everything that faults can be injected into. A rule that can never match any of it is rejected. */
export interface FaultWorld {
  /** Threads that may be made to fail, and their actors. The main thread is not among them: it watches the others. */
  readonly threads: readonly string[];
  readonly kinds: ReadonlyMap<string, KindFacts>;
  /** Threads that call the runtime. */
  readonly criThreads: readonly string[];
  /** Threads that call the API server; none in an agent without an API server. */
  readonly apiThreads: readonly string[];
  /** Threads that write pods' files. */
  readonly fileThreads: readonly string[];
}

export interface KindFacts {
  /** `one`: its address is the kind's name. `many`: each is `kind/id`. */
  readonly addresses: 'one' | 'many';
  readonly threads: readonly string[];
  /** Every message type that it can receive. `undefined` when the types are unknown. */
  readonly messages: readonly string[] | undefined;
}
