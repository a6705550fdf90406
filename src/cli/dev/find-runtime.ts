/** Whether a CRI runtime can be used, as found by asking it. */
export type RuntimeAnswer =
  | { readonly usable: true; readonly name: string; readonly version: string }
  /** `why` completes "… is not used: ". */
  | { readonly usable: false; readonly why: string };

export type RuntimeChoice =
  | { readonly type: 'found'; readonly endpoint: string; readonly name: string; readonly version: string }
  /** None answers; `passedOver` says of each that there is why not. */
  | { readonly type: 'embedded'; readonly passedOver: readonly string[] }
  /** The user named one, and only that one will do. */
  | { readonly type: 'unusable'; readonly endpoint: string; readonly why: string };

/** Where CRI runtimes listen unless they are told otherwise, in the order in which they are tried. */
export const defaultSockets: readonly string[] = ['/run/containerd/containerd.sock', '/run/crio/crio.sock'];

export interface RuntimeProbes {
  readonly exists: (path: string) => boolean;
  readonly ask: (endpoint: string) => Promise<RuntimeAnswer>;
}

/** The runtime to develop with: the one that was asked for, else one that runs on this machine, else the embedded one. */
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
    passedOver.push(`${path} is not used: ${answer.why}`);
  }
  return { type: 'embedded', passedOver };
}
