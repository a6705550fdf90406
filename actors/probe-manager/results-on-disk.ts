import { containerId, type PodUid } from '../../src/kube/ids.ts';
import type { PodFiles } from '../../src/host/pod-files.ts';
import { isEntryOf } from '../../src/host/pod-files.ts';
import { podDir } from '../../src/pod/values/pod-paths.ts';
import type { ContainerVerdicts, PodProbeResults, ProbeKind } from './protocol.ts';

export interface ResultsOnDiskDeps {
  readonly files: Pick<PodFiles, 'read' | 'writeFile'>;
  readonly rootDir: string;
}

const NONE: PodProbeResults = new Map();
const KINDS: readonly ProbeKind[] = ['startup', 'liveness', 'readiness'];

/**
 * Verdicts kept in the pod's directory and removed with it. Written when a verdict changes, which is rare; read for
 * pods that ran before this agent started. Unreadable verdicts count as absent: then the last reported
 * status of a container decides.
 */
export class ResultsOnDisk {
  readonly #deps: ResultsOnDiskDeps;

  constructor(deps: ResultsOnDiskDeps) {
    this.#deps = deps;
  }

  read(uid: PodUid): PodProbeResults {
    const path = this.#path(uid);
    const text = path === undefined ? undefined : this.#deps.files.read(path);
    return text === undefined ? NONE : parsed(text);
  }

  /** Does nothing when the pod has no directory any more: the pod is being removed. */
  write(uid: PodUid, results: PodProbeResults): void {
    const path = this.#path(uid);
    if (path === undefined) return;
    try {
      this.#deps.files.writeFile(path, JSON.stringify(Object.fromEntries(results)), 0o600);
    } catch {
      // The next restart knows fewer verdicts; the pod itself is unaffected.
    }
  }

  #path(uid: PodUid): string | undefined {
    const { rootDir } = this.#deps;
    return isEntryOf(`${rootDir}/pods`, uid) ? `${podDir(rootDir, uid)}/probe-results.json` : undefined;
  }
}

function parsed(text: string): PodProbeResults {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return NONE;
    return new Map(Object.entries(value).map(([id, verdicts]) => [containerId(id), checked(verdicts)]));
  } catch {
    return NONE;
  }
}

function checked(value: unknown): ContainerVerdicts {
  if (typeof value !== 'object' || value === null) return {};
  const verdicts: { -readonly [Kind in ProbeKind]?: 'success' | 'failure' } = {};
  for (const kind of KINDS) {
    // Absent members read as `undefined`, whatever the object is.
    const verdict = (value as Readonly<Record<string, unknown>>)[kind];
    if (verdict === 'success' || verdict === 'failure') verdicts[kind] = verdict;
  }
  return verdicts;
}
