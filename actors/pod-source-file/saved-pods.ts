import { errorCode } from '../../src/kube/text/error-code.ts';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeShape } from '../../src/kube/manifest/decode-shape.ts';
import { fnv1a128 } from '../../src/kube/text/fnv-hash.ts';
import type { Pod } from '../../src/kube/pod.ts';
import { podShape } from '../../src/kube/manifest/pod-shape.ts';
import { readTextSync } from '../../src/host/read-regular-file.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';

/**
 * Keeps the last good pods of files that turned bad, beyond the life of the source and of the agent. Nothing here
 * throws: what cannot be saved or read is returned as a problem.
 */
export interface SavedPods {
  /** All saved pods, by manifest path. */
  read(): { readonly pods: ReadonlyMap<string, Pod>; readonly problems: readonly string[] };
  /** Returns the problem when the pod could not be saved, `undefined` on success. */
  keep(manifest: string, pod: Pod): string | undefined;
  drop(manifest: string): string | undefined;
}

/** Saves each pod in a file of its own, so that a damaged file affects one pod only. */
export function savedPodsIn(directory: string): SavedPods {
  const placeOf = (manifest: string): string => join(directory, `${fnv1a128(manifest)}.json`);
  return {
    read() {
      const pods = new Map<string, Pod>();
      const problems: string[] = [];
      for (const name of namesIn(directory, problems)) {
        const place = join(directory, name);
        try {
          const { manifest, pod } = kept(readTextSync(place));
          pods.set(manifest, pod);
        } catch (error) {
          problems.push(`${place} is damaged and of no use: ${messageOf(error)}; the pod in it is lost`);
          // Logged once, not at every start.
          attempt(() => rmSync(place));
        }
      }
      return { pods, problems };
    },
    keep: (manifest, pod) =>
      attempt(() => {
        const place = placeOf(manifest);
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        // A crash in the middle leaves the old file, or none.
        writeFileSync(`${place}.new`, JSON.stringify({ manifest, pod }), { mode: 0o600, flush: true });
        renameSync(`${place}.new`, place);
      }),
    drop: (manifest) => attempt(() => rmSync(placeOf(manifest), { force: true })),
  };
}

function namesIn(directory: string, problems: string[]): readonly string[] {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') problems.push(messageOf(error));
    return [];
  }
}

function kept(text: string): { readonly manifest: string; readonly pod: Pod } {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('manifest' in value) || !('pod' in value)) {
    throw new Error('it lacks a manifest name or a pod');
  }
  const { manifest } = value;
  const decoded = decodeShape(podShape, value.pod);
  const [problem] = decoded.problems;
  if (problem !== undefined) throw new Error(problem.message);
  // The shape was checked member by member; the members that every pod has are checked next.
  const pod = decoded.value as Partial<Pod>;
  const { name, namespace, uid } = pod.metadata ?? {};
  const isWhole = [name, namespace, uid].every((each) => typeof each === 'string' && each !== '');
  if (typeof manifest !== 'string' || manifest === '' || !isWhole || (pod.spec?.containers ?? []).length === 0)
    throw new Error('its pod is incomplete');
  // The members that the type requires were found above.
  return { manifest, pod: { ...(pod as Pod), status: { phase: 'Pending' } } };
}

function attempt(action: () => void): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
