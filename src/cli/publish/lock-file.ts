import { readFileSync } from 'node:fs';

/** What `package-lock.json` has of one package: the fields that are read here. */
export interface LockedPackage {
  readonly version: string;
  /** `sha512-` and the sum in base64, of the package as a registry has it. */
  readonly integrity?: string;
  readonly license?: string;
  /** Only needed to work on hivelet. */
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
  /** By path: `node_modules/pino`, and below others where there are two versions of one package. */
  readonly packages: ReadonlyMap<string, LockedPackage>;
}

/** Reads a lock file that npm wrote: its shape is npm's own, version 3. */
export function readLockFile(path: string): LockFile {
  const { packages, ...head } = JSON.parse(readFileSync(path, 'utf8')) as Omit<LockFile, 'root' | 'packages'> & {
    readonly packages: Readonly<Record<string, LockedPackage>>;
  };
  const entries = new Map(Object.entries(packages));
  // Under the empty path lies the root, which has other fields than packages have.
  const root = entries.get('') as unknown as LockedRoot;
  entries.delete('');
  return { ...head, root, packages: entries };
}

/** The name of the package at a path of a lock file. */
export const packageName = (path: string): string =>
  path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** What an installation of the published package brings along, by path. */
export const installedPackages = ({ packages }: LockFile): ReadonlyMap<string, LockedPackage> =>
  new Map([...packages].filter(([, { dev }]) => dev !== true));
