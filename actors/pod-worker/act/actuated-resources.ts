import { isEntryName } from '../../../src/kube/validation/entry-name.ts';
import { containerId } from '../../../src/kube/ids.ts';
import type { Pod, ResourceRequirements } from '../../../src/kube/pod.ts';
import type { PodFiles } from '../../../src/host/pod-files.ts';
import type { NodeFacts } from '../../../src/node/object/node-facts.ts';
import { podDir } from '../../../src/pod/values/pod-paths.ts';
import type { ActuatedResources } from '../../../src/pod/sync/pod-resizes.ts';
import type { Resizing } from '../worker-state.ts';
import type { Actuated } from '../decide/step-result.ts';

interface Files {
  readonly host: { readonly files: Pick<PodFiles, 'read' | 'writeFile'> };
  readonly node: Pick<NodeFacts, 'rootDir'>;
}

const pathOf = (rootDir: string, uid: string): string => `${podDir(rootDir, uid)}/actuated-resources`;

/**
 * Saves the resources of containers for a later incarnation, if the pod was ever resized. They are stored in the pod's
 * directory and removed with it.
 */
export class ActuatedRecord {
  readonly #files: Files;
  readonly #uid: string;
  /** `undefined` when nothing is saved. */
  #saved: ActuatedResources | undefined;

  constructor(
    { pod, resizing }: { readonly pod: Pod; readonly resizing: Pick<Resizing, 'original' | 'actuated'> },
    files: Files,
  ) {
    this.#files = files;
    this.#uid = pod.metadata.uid;
    this.#saved = resizing.original === undefined || !isEntryName(this.#uid) ? undefined : resizing.actuated;
  }

  /** Resources that could not be saved are sent to the runtime again, which is harmless. */
  save(actuated: Actuated): void {
    if (this.#saved === undefined) return;
    this.#saved = new Map([...this.#saved, actuated]);
    const { host, node } = this.#files;
    try {
      host.files.writeFile(pathOf(node.rootDir, this.#uid), JSON.stringify([...this.#saved]), 0o600);
    } catch {
      // A full disk must not keep the pod from being resized.
    }
  }
}

/** `undefined` when no container of the pod was ever resized. */
export function readActuated({ host, node }: Files, uid: string): ActuatedResources | undefined {
  const text = isEntryName(uid) ? host.files.read(pathOf(node.rootDir, uid)) : undefined;
  if (text === undefined) return undefined;
  try {
    // This agent wrote the file.
    const entries = JSON.parse(text) as readonly (readonly [string, ResourceRequirements])[];
    return new Map(entries.map(([id, resources]) => [containerId(id), resources]));
  } catch {
    return undefined;
  }
}
