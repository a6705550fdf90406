import { readFileSync } from 'node:fs';

/** One package in `package-lock.json`: the fields in use here. */
export interface LockedPackage {
  readonly version: string;
  /** `sha512-` and the checksum in base64, of the package in a registry. */
  readonly integrity?: string;
  readonly license?: string;
  /** `true` for packages needed only to work on hivelet. */
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly resolved?: string;
}

/** The root's own entry, under the empty path. */
export interface LockedRoot {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly name: string;
  readonly version: string;
  readonly lockfileVersion: number;
  readonly root: LockedRoot;
  /** By path: `node_modules/pino`, or below another package where there are two versions. */
  readonly packages: ReadonlyMap<string, LockedPackage>;
}

/** Reads a lock file written by npm, in npm's own shape, version 3. */
export function readLockFile(path: string): LockFile {
  // npm wrote the file, in version 3 of its shape.
  const { packages, ...head } = JSON.parse(readFileSync(path, 'utf8')) as Omit<LockFile, 'root' | 'packages'> & {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const entries = new Map(Object.entries(packages));
  // The empty path holds the root, which has other fields than packages have.
  const root = entries.get('') as unknown as LockedRoot;
  entries.delete('');
  return { ...head, root, packages: entries };
}

/** Returns the package name at a path of a lock file. */
export const packageName = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** Returns the packages that an installation of the published package includes, by path. */
export const installedPackages = ({ packages }: LockFile): ReadonlyMap<string, LockedPackage> =>
  new Map([...packages].filter(([, { dev }]) => dev !== true));
