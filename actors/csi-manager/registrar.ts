import type { Log } from '../../src/actor/log.ts';
import type { CsiConnections, CsiNode } from '../../src/csi/csi-client.ts';
import type { DriverOnNode } from '../../src/csi/csi-node-object.ts';
import { judgePlugin } from '../../src/csi/plugin-info.ts';
import type { Resolved } from '../../src/csi/resolve-claim.ts';
import type { DutyOfParts } from '../../src/health/duty-of-parts.ts';
import type { DriverDuties } from './driver-duties.ts';
import type { DriverEndpoint } from './protocol.ts';
import type { StorageObjects } from './storage-objects.ts';

export interface RegistrarDeps {
  readonly connections: () => Promise<CsiConnections>;
  readonly objects: Pick<StorageObjects, 'announce' | 'withdraw'>;
  readonly drivers: Pick<DriverDuties, 'watched' | 'forget'>;
  /** By socket. */
  readonly registering: Pick<DutyOfParts, 'attempt'>;
}

/** Registers drivers, and keeps the connections to them. */
export class Registrar {
  readonly #deps: RegistrarDeps;
  readonly #log: Log;
  readonly #nodes = new Map<string, CsiNode>();
  readonly #reported = new Set<string>();
  #connected: Promise<CsiConnections> | undefined;

  constructor(deps: RegistrarDeps, log: Log) {
    this.#deps = deps;
    this.#log = log;
  }

  node(driver: string): CsiNode | undefined {
    return this.#nodes.get(driver);
  }

  /** Asks the plugin for its info, announces the driver in the API, and notifies the plugin of the result. */
  async register(socket: string): Promise<DriverEndpoint | undefined> {
    const connections = await this.#connections();
    const plugin = connections.plugin(socket);
    const attempt = this.#deps.registering.attempt(socket, `the registration of ${socket}`);
    try {
      const info = await plugin.info();
      if (!info.ok) {
        attempt.failed(`${socket}: ${info.message}`);
        return this.#refused(socket, info.message);
      }
      const verdict = judgePlugin(info.value, socket);
      const known = verdict.ok ? await this.#introduce(verdict.driver) : verdict;
      const error = known.ok ? '' : known.message;
      await plugin.notify({ pluginRegistered: known.ok, error });
      // A plugin of another kind was judged, as it will be again.
      if (verdict.ok && !known.ok) attempt.failed(`${socket}: ${error}`);
      else attempt.worked();
      if (!known.ok || !verdict.ok) return this.#refused(socket, error);
      this.#reported.delete(socket);
      this.#log.info({ driver: verdict.driver.name, socket }, 'CSI driver registered');
      return verdict.driver;
    } finally {
      plugin.close();
    }
  }

  /** Logs each socket's failure once: registration is retried for as long as the socket exists. */
  #refused(socket: string, message: string): undefined {
    if (!this.#reported.has(socket))
      this.#log.warn({ socket }, `CSI plugin could not be registered: ${message}; retrying while its socket exists`);
    this.#reported.add(socket);
    return undefined;
  }

  #connections(): Promise<CsiConnections> {
    this.#connected ??= this.#deps.connections();
    return this.#connected;
  }

  async #introduce({ name, endpoint }: DriverEndpoint): Promise<Resolved<undefined>> {
    this.#nodes.get(name)?.close();
    const node = this.#deps.drivers.watched(name, (await this.#connections()).node(endpoint, name));
    this.#nodes.set(name, node);
    const info = await node.info();
    if (!info.ok) return { ok: false, message: info.message };
    const { nodeId, maxVolumesPerNode, accessibleTopology } = info.value;
    const driver: DriverOnNode = {
      name,
      nodeId,
      maxVolumes: maxVolumesPerNode,
      topology: accessibleTopology?.segments ?? {},
    };
    return this.#deps.objects.announce(driver);
  }

  async forget(driver: string): Promise<void> {
    this.#log.info({ driver }, 'CSI driver removed: its socket is gone');
    this.#deps.drivers.forget(driver);
    this.#nodes.get(driver)?.close();
    this.#nodes.delete(driver);
    const withdrawn = await this.#deps.objects.withdraw(driver);
    if (!withdrawn.ok)
      this.#log.warn(
        { driver },
        `the driver could not be removed from the CSINode object: ${withdrawn.message}; its entry stays`,
      );
  }

  close(): void {
    for (const node of this.#nodes.values()) node.close();
  }
}
