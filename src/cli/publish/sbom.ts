import { installedPackages, packageName, type LockedPackage, type LockFile } from './lock-file.ts';

/**
 * Returns the bill of materials of the published package (CycloneDX 1.5, JSON): the packages in its bundle and the
 * packages of its installation. `bundled` holds paths of the lock file. The same packages give the same text, so it has
 * neither a time nor a serial number.
 */
export function sbomOf(lock: LockFile, bundled: Iterable<string>): string {
  const copied = new Set(bundled);
  const shipped = new Map(installedPackages(lock));
  for (const path of copied) {
    const locked = lock.packages.get(path);
    if (locked === undefined) throw new Error(`package-lock.json does not have ${path}, which is in the bundle`);
    shipped.set(path, locked);
  }
  const components = [...shipped]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, locked]) => component(path, locked, copied.has(path) ? 'bundled' : 'installed'));
  const { name, version, license } = lock.root;
  const sbom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        'bom-ref': `${name}@${version}`,
        type: 'application',
        name,
        version,
        purl: packageUrl(name, version),
        licenses: [{ expression: license }],
      },
    },
    components,
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

function component(path: string, { version, integrity, license, optional }: LockedPackage, how: string): object {
  const name = packageName(path);
  return {
    'bom-ref': path,
    type: 'library',
    name,
    version,
    scope: optional === true ? 'optional' : 'required',
    purl: packageUrl(name, version),
    ...(integrity === undefined ? {} : { hashes: integrity.split(' ').map(hash) }),
    ...(license === undefined ? {} : { licenses: [{ expression: license }] }),
    properties: [{ name: 'hivelet:shipped', value: how }],
  };
}

/** Returns the checksum of `sha512-<base64>`. */
function hash(integrity: string): object {
  const [algorithm = '', base64 = ''] = integrity.split('-', 2);
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') };
}

const packageUrl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;
