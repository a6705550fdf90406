import { addressHost, type AddressHost } from '../../src/host/host-addresses.ts';
import { hostReader } from '../../src/host/host-reader.ts';
import { readMachineFacts, type MachineFacts } from '../../src/host/machine-facts.ts';

/** Facts about the machine that the node's status needs. */
export interface NodeHost extends AddressHost {
  /** Read again at each call. */
  machine(): MachineFacts;
}

export const nodeHost = (rootDir: string): NodeHost => ({
  ...addressHost,
  machine: () => readMachineFacts(hostReader, rootDir),
});
