import type { CriClient } from '../../src/cri/client.ts';
import type { ContainerImage } from '../../src/kube/node.ts';
import { nodeImages } from '../../src/node/object/node-images.ts';
import type { RuntimeDescription } from './protocol.ts';

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
