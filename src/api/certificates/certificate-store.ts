import type { WallMs } from '../../actor/clock.ts';
import { chmod, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectoriesLater } from '../../host/exact-modes.ts';
import { readText } from '../../host/read-regular-file.ts';

/** Keeps a certificate of the node in the kubelet's layout: dated files, and a link to the newest. */
export interface CertificateStore {
  /** The link to the newest file. Other settings name this path; the file behind it is always complete. */
  readonly currentFile: string;
  /** Certificate and key, PEM. `undefined` when there are none. */
  read(): Promise<string | undefined>;
  /** Replaces the present certificate with a new one. */
  write(pem: string, now: WallMs): Promise<void>;
}

/** Earlier certificates are kept only for people who look for the cause of a problem. */
const KEPT = 3;

export function certificateStore(folder: string, purpose: 'client' | 'server' = 'client'): CertificateStore {
  const prefix = `kubelet-${purpose}-`;
  const currentFile = join(folder, `${prefix}current.pem`);
  return {
    currentFile,
    read: () => readText(currentFile).catch(() => undefined),
    async write(pem, now) {
      await makeDirectoriesLater(folder, 0o755);
      const name = `${prefix}${new Date(now).toISOString().slice(0, 19).replaceAll(':', '-').replace('T', '-')}.pem`;
      const file = join(folder, name);
      await writeFile(`${file}.new`, pem, { mode: 0o600 });
      await chmod(`${file}.new`, 0o600);
      await rename(`${file}.new`, file);
      const link = `${currentFile}.new`;
      await rm(link, { force: true });
      await symlink(name, link);
      // The rename replaces the link in one step: a reader sees the old certificate or the new one.
      await rename(link, currentFile);
      const dated = (await readdir(folder))
        .filter((each) => each.startsWith(prefix) && /^\d.*\.pem$/.test(each.slice(prefix.length)))
        .sort();
      for (const old of dated.slice(0, -KEPT)) if (old !== name) await rm(join(folder, old), { force: true });
    },
  };
}
