import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { AddressHost } from '../../src/host/host-addresses.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { findNodeAddresses } from '../../src/node/object/find-node-addresses.ts';
import { KnownAddresses, type ObservedAddresses } from '../../src/node/object/known-addresses.ts';
import type { AddressResult } from '../../src/node/object/node-addresses.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import type { NodeAddressesProtocol } from './protocol.ts';

export interface NodeAddressesDeps {
  readonly host: AddressHost;
  readonly nodeName: string;
  /** `--node-ip`. */
  readonly nodeIps: readonly string[];
}

const INSPECT_EVERY_MS = 10_000;

/** Finds the addresses of a node that belongs to no cluster, and reports each change. */
export class NodeAddresses implements Actor<NodeAddressesProtocol> {
  readonly #context: ActorContext<NodeAddressesProtocol>;
  readonly #deps: NodeAddressesDeps;
  readonly #known: KnownAddresses;
  #problem: string | undefined;

  constructor(context: ActorContext<NodeAddressesProtocol>, deps: NodeAddressesDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#known = new KnownAddresses((observed) =>
      context.ref(POD_MANAGER).tell({ type: 'node-addresses-observed', ...observed }),
    );
  }

  start(): void {
    this.#inspect();
  }

  tell(command: NodeAddressesProtocol['command']): void {
    switch (command.type) {
      case 'inspection-due':
        return this.#inspect();
      case 'addresses-found': {
        const { clock, self } = this.#context;
        clock.after(INSPECT_EVERY_MS, () => self.tell({ type: 'inspection-due' }));
        return this.#found(command.found);
      }
      default:
        return assertNever(command, 'node addresses command');
    }
  }

  ask(): Promise<ObservedAddresses> {
    return this.#known.latest();
  }

  #inspect(): void {
    this.#known.reportAgain();
    const { clock, self } = this.#context;
    const { host, nodeName, nodeIps } = this.#deps;
    const inspected = findNodeAddresses(host, clock, { nodeName, nodeIps, externalCloudProvider: false });
    this.#context.supervise(inspected.then((found) => self.tell({ type: 'addresses-found', found })));
  }

  /** A host that has lost its addresses, such as one between two networks, has none until the next inspection. */
  #found(found: AddressResult): void {
    const problem = found.ok ? undefined : found.message;
    if (problem !== undefined && problem !== this.#problem)
      this.#context.log.warn({}, `this host has no address for its pods: ${problem}; looking again every 10 s`);
    this.#problem = problem;
    this.#known.observed({ addresses: found.ok ? found.addresses : [], from: 'host' });
  }
}
