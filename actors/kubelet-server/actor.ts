import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { describeError } from '../../src/actor/fault.ts';
import type { NodeServer } from '../../src/serving/node-server.ts';
import type { ServerCertificate } from '../../src/serving/server-certificate.ts';
import type { KubeletServerCommand, KubeletServerProtocol, ListenerName } from './protocol.ts';
import { decide, initialState, type KubeletServerEffect, type KubeletServerState } from './state.ts';

export interface KubeletServerDeps {
  /** Each listener that the configuration asks for, and how it is opened. */
  readonly listeners: ReadonlyMap<ListenerName, () => Promise<NodeServer>>;
  /** The certificate in its files, read anew; undefined where there are no files. Throws when they cannot be read. */
  readonly readCertificate: (() => ServerCertificate) | undefined;
  /** Outlives an incarnation, so that the next one can close what the one before has left open. */
  readonly open: Map<ListenerName, NodeServer>;
}

const LOOK_AT_CERTIFICATE_MS = 10_000;

/** Serves the kubelet's API. Requests do not pass through its mailbox: they are the server's own, beside it. */
export class KubeletServer implements Actor<KubeletServerProtocol> {
  readonly #context: ActorContext<KubeletServerProtocol>;
  readonly #deps: KubeletServerDeps;
  #state: KubeletServerState = initialState;
  #certificate: string | undefined;

  constructor(context: ActorContext<KubeletServerProtocol>, deps: KubeletServerDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  async start(): Promise<void> {
    // Their clients are cut off now, and not when they find out by themselves.
    await this.#closeAll();
    for (const listener of this.#deps.listeners.keys()) this.tell({ type: 'listen-again', listener });
    if (this.#deps.readCertificate !== undefined) this.#lookLater();
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
          'cannot listen; trying again every 5 seconds',
        );
      case 'look-at-certificate':
        return this.#lookAtCertificate();
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
    clock.after(LOOK_AT_CERTIFICATE_MS, () => self.tell({ type: 'look-at-certificate' }));
  }

  #lookAtCertificate(): void {
    this.#lookLater();
    try {
      const certificate = this.#deps.readCertificate?.();
      if (certificate === undefined) return;
      const text = certificate.cert + certificate.key;
      const isNew = this.#certificate !== undefined && this.#certificate !== text;
      this.#certificate = text;
      if (!isNew) return;
      for (const server of this.#deps.open.values()) server.setCertificate(certificate);
      this.#context.log.info({}, 'the server certificate was reloaded');
    } catch (error) {
      // The one that is in use is still good.
      this.#context.log.warn({ problem: describeError(error) }, 'the server certificate could not be reloaded');
    }
  }
}
