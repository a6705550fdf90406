/** The answer of a CRI runtime, with the reason when it cannot be used. */
export type RuntimeAnswer =
  | { readonly usable: true; readonly name: string; readonly version: string }
  /** `why` completes "skipping <path>: ". */
  | { readonly usable: false; readonly why: string };

export type RuntimeChoice =
  | { readonly type: 'found'; readonly endpoint: string; readonly name: string; readonly version: string }
  /** No runtime answers. `passedOver` has the reason for each socket that exists. */
  | { readonly type: 'embedded'; readonly passedOver: readonly string[] }
  /** The user named a runtime, and no other is tried. */
  | { readonly type: 'unusable'; readonly endpoint: string; readonly why: string };

/** Default sockets of CRI runtimes, in the order in which they are tried. */
export const defaultSockets: readonly string[] = ['/run/containerd/containerd.sock', '/run/crio/crio.sock'];

export interface RuntimeProbes {
  readonly exists: (path: string) => boolean;
  readonly ask: (endpoint: string) => Promise<RuntimeAnswer>;
}

/**
 * Returns the runtime for development: the requested one, else one that runs on this machine, else the embedded one.
 */
export async function findRuntime(asked: string | undefined, { exists, ask }: RuntimeProbes): Promise<RuntimeChoice> {
  if (asked !== undefined) {
    const answer = await ask(asked);
    if (!answer.usable) return { type: 'unusable', endpoint: asked, why: answer.why };
    return { type: 'found', endpoint: asked, name: answer.name, version: answer.version };
  }
  const passedOver: string[] = [];
  for (const path of defaultSockets.filter(exists)) {
    const answer = await ask(`unix://${path}`);
    if (answer.usable) return { type: 'found', endpoint: `unix://${path}`, name: answer.name, version: answer.version };
    passedOver.push(`skipping ${path}: ${answer.why}`);
  }
  return { type: 'embedded', passedOver };
}
