import type { PodFiles } from '../node/pod-files.ts';
import type { FaultEngine } from './fault-engine.ts';
import { ON_PURPOSE } from './message-seam.ts';
import type { FileOperation } from './fault-plan.ts';

/** A disk that goes wrong as the present plans say. With no plan it is the disk it stands on. */
export interface FaultyFilesOptions {
  readonly engine: () => FaultEngine | undefined;
  /** Holds up the whole thread, as a slow disk does. */
  readonly block: (ms: number) => void;
}

const PASS = Symbol('pass');

/**
 * Errors are what the disk's own would be: an operation that reads finds nothing, one that writes throws. What is dropped
 * seems to have worked: nothing is written, nothing is found.
 */
export function faultyFiles(files: PodFiles, { engine, block }: FaultyFilesOptions): PodFiles {
  /** What the operation returns instead, or `PASS`. */
  const fault = (file: FileOperation, path: string): unknown => {
    const present = engine();
    if (present === undefined || !present.watches('files')) return PASS;
    const action = present.decide({ at: 'files', file, path })?.action;
    if (action?.type === 'delay') block(action.delayMs);
    else if (action?.type === 'drop') return undefined;
    else if (action?.type === 'error') return fileError(action.code, { file, path, text: action.text ?? ON_PURPOSE });
    return PASS;
  };
  const mayThrow = (file: FileOperation, path: string): boolean => {
    const instead = fault(file, path);
    if (instead instanceof Error) throw instead;
    return instead === PASS;
  };
  return {
    makeDirectory: (path, mode) => void (mayThrow('makeDirectory', path) && files.makeDirectory(path, mode)),
    writeFile: (path, text, mode) => void (mayThrow('writeFile', path) && files.writeFile(path, text, mode)),
    list: (path) => (fault('list', path) === PASS ? files.list(path) : []),
    read: (path) => (fault('read', path) === PASS ? files.read(path) : undefined),
    readTail: (path, bytes) => (fault('readTail', path) === PASS ? files.readTail(path, bytes) : undefined),
    kindOf: (path) => (fault('kindOf', path) === PASS ? files.kindOf(path) : undefined),
    link: (target, path) => void (mayThrow('link', path) && files.link(target, path)),
    removeEntry(directory, name) {
      if (mayThrow('removeEntry', `${directory}/${name}`)) files.removeEntry(directory, name);
    },
    removeCgroup(path) {
      const instead = fault('removeCgroup', path);
      if (instead === PASS) return files.removeCgroup(path);
      return instead instanceof Error ? instead.message : undefined;
    },
  };
}

function fileError(code: string, at: { readonly file: string; readonly path: string; readonly text: string }): Error {
  return Object.assign(new Error(`${code}: ${at.text}, ${at.file} '${at.path}'`), { code, path: at.path });
}
