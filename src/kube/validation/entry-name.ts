/** Longest name of one entry of a directory, in bytes, on the file systems that nodes use. */
export const MAX_ENTRY_NAME_BYTES = 255;

/**
 * Whether the text names one entry of a directory, and nothing above, beside or below it. Every part of a path that comes
 * from outside goes through here: names of pods, containers and volumes, UIDs, IDs of the runtime, names of plug-ins.
 */
export const isEntryName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');

/** The text, if it names one entry of a directory. Throws otherwise: a path must not be made of it. */
export function entryName(name: string): string {
  if (isEntryName(name)) return name;
  throw new RangeError(`${JSON.stringify(name.slice(0, 256))} is not the name of an entry of a directory`);
}

/** Whether an absolute path lies below a directory, by its text alone: no step of it leads up again. */
export const isBelow = (directory: string, path: string): boolean =>
  path.startsWith(`${directory}/`) &&
  path
    .slice(directory.length + 1)
    .split('/')
    .every(isEntryName);
