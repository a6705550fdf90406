/** The longest name of a directory entry, in bytes, on the file systems that nodes use. */
export const MAX_ENTRY_NAME_BYTES = 255;

/**
 * `true` if the text names one entry of a directory, and nothing above, beside or below it. Every part of a path that
 * comes from outside is checked here: names of pods, containers and volumes, UIDs, IDs of the runtime, names of
 * plug-ins.
 */
export const isEntryName = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');

/** Returns the text if it names one entry of a directory. Throws otherwise, because no path must be made of it. */
export function entryName(name: string): string {
  if (isEntryName(name)) return name;
  throw new RangeError(`${JSON.stringify(name.slice(0, 256))} is not a valid name of a directory entry`);
}

/** `true` if an absolute path lies below a directory, by its text alone: no step of it leads up again. */
export const isBelow = (directory: string, path: string): boolean =>
  path.startsWith(`${directory}/`) &&
  path
    .slice(directory.length + 1)
    .split('/')
    .every(isEntryName);
