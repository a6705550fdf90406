import type { Clock } from '../../src/actor/clock.ts';
import type { CriClient } from '../../src/cri/client.ts';
import type { ContainerImage, NodeAddress } from '../../src/kube/node.ts';
import { defaultInterface, nodeAddresses } from '../../src/node/object/node-addresses.ts';
import type { NodeHost } from './node-host.ts';
import { nodeImages } from '../../src/node/object/node-images.ts';
import type { NodeStatusSettings } from './state.ts';
import type { NodeInspection, RuntimeDescription } from './protocol.ts';
import { within } from '../../src/actor/in-time.ts';

/** A name resolution that takes longer is abandoned. */
const PATIENCE_MS = 5_000;

/** The images on this node; `undefined` when the runtime does not answer. */
export async function listImages(
  cri: CriClient,
  { atMost, timeoutMs }: { readonly atMost: number; readonly timeoutMs: number },
): Promise<readonly ContainerImage[] | undefined> {
  const listed = await cri.call('ListImages', { filter: undefined }, { timeoutMs });
  return listed.ok ? nodeImages(listed.value.images, atMost) : undefined;
}

/** The runtime's conditions and features; `undefined` when the runtime does not answer. */
export async function describeRuntime(cri: CriClient): Promise<RuntimeDescription | undefined> {
  const status = await cri.call('Status', { verbose: false });
  if (!status.ok) return undefined;
  const { runtimeHandlers, features } = status.value;
  return {
    conditions: (status.value.status?.conditions ?? []).map(({ type, status: is, reason, message }) => ({
      type,
      status: is,
      reason,
      message,
    })),
    handlers: runtimeHandlers.map(({ name, features: can }) => ({
      name,
      recursiveReadOnlyMounts: can?.recursiveReadOnlyMounts === true,
      userNamespaces: can?.userNamespaces === true,
    })),
    supplementalGroupsPolicy: features?.supplementalGroupsPolicy,
  };
}

/** The node's addresses as the host has them now. */
export async function findAddresses(
  host: NodeHost,
  { nodeName, nodeIps, externalCloudProvider }: NodeStatusSettings['registration'],
  { clock, existing }: { readonly clock: Clock; readonly existing: readonly NodeAddress[] },
): Promise<Pick<NodeInspection, 'addresses' | 'addressProblem'>> {
  const resolved = nodeIps.length > 0 ? [] : await within(clock, PATIENCE_MS, host.resolve(nodeName));
  const result = nodeAddresses({
    nodeName,
    nodeIps,
    hostAddresses: host.addresses(),
    resolved: resolved === 'time-up' ? [] : resolved,
    defaultInterface: defaultInterface(...host.routes()),
    cloud: externalCloudProvider ? { existing } : undefined,
  });
  return result.ok
    ? { addresses: result.addresses, addressProblem: undefined }
    : { addresses: undefined, addressProblem: result.message };
}
