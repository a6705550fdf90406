import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { describeError } from '../../src/actor/fault.ts';
import type { NodeServer, TlsFiles } from '../../src/serving/node-server.ts';
import type { KubeletServerCommand, KubeletServerProtocol, ListenerName } from './protocol.ts';
import { decide, initialState, type KubeletServerEffect, type KubeletServerState } from './state.ts';

export interface KubeletServerDeps {
  /** Each listener that the configuration asks for, and how it is opened. */
  readonly listeners: ReadonlyMap<ListenerName, () => Promise<NodeServer>>;
  /** What is in files of the certificate and of those who sign clients', read anew. Throws when one cannot be read. */
  readonly readTls: () => TlsFiles;
  /** Outlives an incarnation, so that the next one can close what the one before has left open. */
  readonly open: Map<ListenerName, NodeServer>;
}

const LOOK_AT_FILES_MS = 10_000;

/** Serves the kubelet's API. Requests do not pass through its mailbox: they are the server's own, beside it. */
export class KubeletServer implements Actor<KubeletServerProtocol> {
  readonly #context: ActorContext<KubeletServerProtocol>;
  readonly #deps: KubeletServerDeps;
  #state: KubeletServerState = initialState;
  /** What the files held when they were last looked at. */
  #tls: string | undefined;

  constructor(context: ActorContext<KubeletServerProtocol>, deps: KubeletServerDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  async start(): Promise<void> {
    // Their clients are cut off now, and not when they find out by themselves.
    await this.#closeAll();
    for (const listener of this.#deps.listeners.keys()) this.tell({ type: 'listen-again', listener });
    this.#lookLater();
  }

  stop(): Promise<void> {
    return this.#closeAll();
  }

  tell(command: KubeletServerCommand): void {
    const { next, effects } = decide(this.#state, command);
    this.#state = next;
    for (const effect of effects) this.#perform(effect);
  }

  ask(): ReadonlyMap<ListenerName, number> {
    return this.#state.ports;
  }

  #perform(effect: KubeletServerEffect): void {
    const { log, self, clock } = this.#context;
    switch (effect.type) {
      case 'open':
        return this.#open(effect.listener);
      case 'try-later':
        return void clock.after(effect.inMs, () => self.tell({ type: 'listen-again', listener: effect.listener }));
      case 'report-listening':
        return log.info({ listener: effect.listener, port: effect.port }, 'serving');
      case 'report-problem':
        return log.error(
          { listener: effect.listener, problem: effect.problem },
          'cannot listen; trying again until it can',
        );
      case 'look-at-certificates':
        return this.#lookAtCertificates();
    }
  }

  #open(listener: ListenerName): void {
    const open = this.#deps.listeners.get(listener);
    if (open === undefined) return;
    const { self } = this.#context;
    const opened = async (): Promise<void> => {
      const server = await open();
      // The actor may have ended while the port was being opened.
      if (!this.#context.alive()) return server.close();
      this.#deps.open.set(listener, server);
      self.tell({ type: 'listening', listener, port: server.port });
    };
    opened().catch((error: unknown) => self.tell({ type: 'listen-failed', listener, problem: describeError(error) }));
  }

  async #closeAll(): Promise<void> {
    const open = [...this.#deps.open.values()];
    this.#deps.open.clear();
    await Promise.all(open.map((server) => server.close()));
  }

  #lookLater(): void {
    const { clock, self } = this.#context;
    clock.after(LOOK_AT_FILES_MS, () => self.tell({ type: 'look-at-certificates' }));
  }

  #lookAtCertificates(): void {
    this.#lookLater();
    try {
      const tls = this.#deps.readTls();
      const text = JSON.stringify(tls);
      const isNew = this.#tls !== undefined && this.#tls !== text;
      this.#tls = text;
      if (!isNew) return;
      for (const server of this.#deps.open.values()) server.setTls(tls);
      this.#context.log.info({}, 'certificates were reloaded from their files');
    } catch (error) {
      // What is in use is still good.
      this.#context.log.warn({ problem: describeError(error) }, 'certificates could not be reloaded from their files');
    }
  }
}
