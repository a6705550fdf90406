/** Branded identifiers, so that a pod's UID never lands where a container's ID is due. */
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** `metadata.uid` of a pod. For a static pod: the hash of its manifest, node and file. */
export type PodUid = Branded<'PodUid'>;
/** The runtime's ID of a container, without the `<runtime>://` prefix that a pod status carries. */
export type ContainerId = Branded<'ContainerId'>;
/** The runtime's ID of a pod sandbox. */
export type SandboxId = Branded<'SandboxId'>;

// The only places where a plain string becomes an identifier: where it enters from outside.
export const podUid = (text: string): PodUid => text as PodUid;
export const containerId = (text: string): ContainerId => text as ContainerId;
export const sandboxId = (text: string): SandboxId => text as SandboxId;
