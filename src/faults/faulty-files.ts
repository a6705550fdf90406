import type { Cgroups } from '../cgroups/cgroups.ts';
import type { PodFiles } from '../host/pod-files.ts';
import type { FaultEngine } from './fault-engine.ts';
import { ON_PURPOSE } from './message-seam.ts';
import type { FileOperation } from './fault-plan.ts';

/** The parts of a disk that fails as the present plans require. Without a plan it passes everything on. */
export interface FaultyFilesOptions {
  readonly engine: () => FaultEngine | undefined;
  /** Blocks the whole thread, as a slow disk does. */
  readonly block: (ms: number) => void;
}

const PASS: unique symbol = Symbol('pass');

/**
 * Returns files whose errors look like the disk's own: a read finds nothing, a write throws. A dropped operation seems
 * to have worked: nothing is written, nothing is found.
 */
export function faultyFiles(files: PodFiles, options: FaultyFilesOptions): PodFiles {
  const fault = faultsAt(options);
  const mayThrow = (file: FileOperation, path: string): boolean => {
    const instead = fault(file, path);
    if (instead instanceof Error) throw instead;
    return instead === PASS;
  };
  return {
    makeDirectory: (path, mode) => void (mayThrow('makeDirectory', path) && files.makeDirectory(path, mode)),
    writeFile: (path, text, mode) => void (mayThrow('writeFile', path) && files.writeFile(path, text, mode)),
    // When dropped, the file seems to be claimed by another caller.
    claim: (path, text) => mayThrow('claim', path) && files.claim(path, text),
    list: (path) => (fault('list', path) === PASS ? files.list(path) : []),
    read: (path) => (fault('read', path) === PASS ? files.read(path) : undefined),
    readShared: (path) => (fault('read', path) === PASS ? files.readShared(path) : undefined),
    readTail: (path, bytes) => (fault('readTail', path) === PASS ? files.readTail(path, bytes) : undefined),
    kindOf: (path) => (fault('kindOf', path) === PASS ? files.kindOf(path) : undefined),
    link: (target, path) => void (mayThrow('link', path) && files.link(target, path)),
    removeEntry(directory, name) {
      if (mayThrow('removeEntry', `${directory}/${name}`)) files.removeEntry(directory, name);
    },
  };
}

/** Returns the host's cgroups. A refusal is reported as the kernel's own refusals are. */
export function faultyCgroups(cgroups: Cgroups, options: FaultyFilesOptions): Cgroups {
  const fault = faultsAt(options);
  const problem = (file: FileOperation, path: string): string | undefined | typeof PASS => {
    const instead = fault(file, path);
    return instead instanceof Error ? instead.message : instead;
  };
  return {
    ...cgroups,
    set(path, values) {
      const instead = problem('setCgroup', path);
      return instead === PASS ? cgroups.set(path, values) : instead;
    },
    remove(path) {
      const instead = problem('removeCgroup', path);
      return instead === PASS ? cgroups.remove(path) : instead;
    },
  };
}

/** Returns the outcome that replaces an operation: an error, nothing at all, or `PASS` for the operation itself. */
function faultsAt({ engine, block }: FaultyFilesOptions) {
  return (file: FileOperation, path: string): Error | undefined | typeof PASS => {
    const present = engine();
    if (present === undefined || !present.watches('files')) return PASS;
    const action = present.decide({ at: 'files', file, path })?.action;
    if (action?.type === 'delay') block(action.delayMs);
    else if (action?.type === 'drop') return undefined;
    else if (action?.type === 'error') return fileError(action.code, { file, path, text: action.text ?? ON_PURPOSE });
    return PASS;
  };
}

function fileError(code: string, at: { readonly file: string; readonly path: string; readonly text: string }): Error {
  return Object.assign(new Error(`${code}: ${at.text}, ${at.file} '${at.path}'`), { code, path: at.path });
}
