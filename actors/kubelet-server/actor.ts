import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { describeError } from '../../src/actor/fault.ts';
import type { NodeServer, TlsFiles } from '../../src/serving/node-server.ts';
import type { KubeletServerProtocol, ListenerName } from './protocol.ts';
import { decide, initialState, type KubeletServerEffect, type KubeletServerState } from './state.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface KubeletServerDeps {
  /** The configured listeners, and how each is opened. */
  readonly listeners: ReadonlyMap<ListenerName, () => Promise<NodeServer>>;
  /** Reads the files of the serving certificate and of the client CA. Throws when a file cannot be read. */
  readonly readTls: () => TlsFiles;
  /** Outlives an incarnation, so that the next incarnation can close the servers left open by the previous one. */
  readonly open: Map<ListenerName, NodeServer>;
}

const CHECK_FILES_EVERY_MS = 10_000;

/** Serves the kubelet's API. Requests bypass the actor's mailbox: the HTTP server handles them itself. */
export class KubeletServer implements Actor<KubeletServerProtocol> {
  readonly #context: ActorContext<KubeletServerProtocol>;
  readonly #listening: Duty;
  readonly #deps: KubeletServerDeps;
  #state: KubeletServerState = initialState;
  /** Content of the files at the latest check. */

  constructor(context: ActorContext<KubeletServerProtocol>, deps: KubeletServerDeps) {
    this.#context = context;
    this.#listening = dutyOf(context, {
      work: "open all ports of the kubelet's server",
      follows: 'logs, exec and metrics of this node cannot be had there',
      isLoggedByActor: true,
    });
    this.#deps = deps;
  }

  async start(): Promise<void> {
    // Clients of the previous incarnation are disconnected now; otherwise they would have to notice its end themselves.
    await this.#closeAll();
    for (const listener of this.#deps.listeners.keys()) this.tell({ type: 'listen-due', listener });
    this.#checkCertificatesLater();
  }

  stop(): Promise<void> {
    return this.#closeAll();
  }

  tell(command: KubeletServerProtocol['command']): void {
    const { next, effects } = decide(this.#state, command);
    this.#state = next;
    if (command.type === 'listen-failed') this.#listening.failed(`${command.listener}: ${command.problem}`);
    else if (next.failures.size === 0 && command.type === 'listening') this.#listening.worked();
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
        return void clock.after(effect.inMs, () => self.tell({ type: 'listen-due', listener: effect.listener }));
      case 'report-listening':
        return log.info({ listener: effect.listener, port: effect.port }, 'serving');
      case 'report-problem':
        return log.error(
          { listener: effect.listener },
          `cannot open the listener: ${effect.problem}; retrying until it opens`,
        );
      case 'certificate-check-due':
        return this.#checkCertificates();
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

  #checkCertificatesLater(): void {
    const { clock, self } = this.#context;
    clock.after(CHECK_FILES_EVERY_MS, () => self.tell({ type: 'certificate-check-due' }));
  }

  #checkCertificates(): void {
    this.#checkCertificatesLater();
    try {
      const tls = this.#deps.readTls();
      // Each server compares with what it uses: a file may have changed between its start and the first check.
      const changed = [...this.#deps.open.values()].filter((server) => server.setTls(tls));
      if (changed.length > 0) this.#context.log.info({}, 'certificates were reloaded from their files');
    } catch (error) {
      // The certificates in use remain valid.
      this.#context.log.warn(
        { problem: describeError(error) },
        'certificates could not be reloaded from their files; the ones in use stay',
      );
    }
  }
}
