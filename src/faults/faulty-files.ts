import type { Cgroups } from '../cgroups/cgroups.ts';
import type { PodFiles } from '../host/pod-files.ts';
import type { FaultEngine } from './fault-engine.ts';
import { ON_PURPOSE } from './message-seam.ts';
import type { FileOperation } from './fault-plan.ts';

/** A disk that goes wrong as the present plans say. With no plan it is the disk it stands on. */
export interface FaultyFilesOptions {
  readonly engine: () => FaultEngine | undefined;
  /** Holds up the whole thread, as a slow disk does. */
  readonly block: (ms: number) => void;
}

const PASS: unique symbol = Symbol('pass');

/**
 * Errors are what the disk's own would be: an operation that reads finds nothing, one that writes throws. What is dropped
 * seems to have worked: nothing is written, nothing is found.
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
    // Dropped, it is as if somebody else had it.
    claim: (path, text) => mayThrow('claim', path) && files.claim(path, text),
    list: (path) => (fault('list', path) === PASS ? files.list(path) : []),
    read: (path) => (fault('read', path) === PASS ? files.read(path) : undefined),
    readTail: (path, bytes) => (fault('readTail', path) === PASS ? files.readTail(path, bytes) : undefined),
    kindOf: (path) => (fault('kindOf', path) === PASS ? files.kindOf(path) : undefined),
    link: (target, path) => void (mayThrow('link', path) && files.link(target, path)),
    removeEntry(directory, name) {
      if (mayThrow('removeEntry', `${directory}/${name}`)) files.removeEntry(directory, name);
    },
  };
}

/** The cgroups of the host: what is refused is said, as the kernel's own refusals are. */
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

/** What an operation comes to instead of itself: an error, nothing at all, or `PASS` for itself. */
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
