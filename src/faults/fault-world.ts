/** What there is to go wrong: a rule that nothing in it can ever fit is refused. */
export interface FaultWorld {
  /** Threads that may be made to fail, and what lives on them. The main thread is none of them: it watches over the others. */
  readonly threads: readonly string[];
  readonly kinds: ReadonlyMap<string, KindFacts>;
  /** Threads that call the runtime. */
  readonly criThreads: readonly string[];
  /** Threads that call the API server; none in an agent without one. */
  readonly apiThreads: readonly string[];
  /** Threads that write pods' files. */
  readonly fileThreads: readonly string[];
}

export interface KindFacts {
  /** `one`: its address is the kind's name. `many`: each is `kind/id`. */
  readonly addresses: 'one' | 'many';
  readonly threads: readonly string[];
  /** Every type of message that it can be told or asked; undefined: nothing is known of it. */
  readonly messages: readonly string[] | undefined;
}
