import type { WallMs } from '../actor/clock.ts';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectoriesLater } from '../host/exact-modes.ts';
import { readServerCertificate, type ServerCertificate } from './server-certificate.ts';

export interface KeptCertificate {
  /** The kubelet's `--cert-dir`. */
  readonly folder: string;
  /** Wall-clock milliseconds. */
  readonly now: WallMs;
  readonly make: () => Promise<ServerCertificate>;
}

/**
 * Returns the node's own certificate from the folder, and makes one where there is none that can be used. A node shows
 * the same certificate after each start, so clients that pinned it go on. Rejects when a new one cannot be written.
 */
export async function keptCertificate({ folder, now, make }: KeptCertificate): Promise<ServerCertificate> {
  const [certFile, keyFile] = [join(folder, 'kubelet.crt'), join(folder, 'kubelet.key')];
  const kept = usable(certFile, { keyFile, now });
  if (kept !== undefined) return kept;
  const made = await make();
  await makeDirectoriesLater(folder, 0o755);
  // The key comes first: a certificate in place has its key beside it, unless the agent ends right between the two. The
  // next start sees that they do not fit.
  await replaceFile(keyFile, { text: made.key, mode: 0o600 });
  await replaceFile(certFile, { text: made.cert, mode: 0o644 });
  return made;
}

function usable(
  certFile: string,
  { keyFile, now }: { readonly keyFile: string; readonly now: WallMs },
): ServerCertificate | undefined {
  try {
    const kept = readServerCertificate(certFile, keyFile);
    const certificate = new X509Certificate(kept.cert);
    const isValid = Date.parse(certificate.validTo) > now && certificate.checkPrivateKey(createPrivateKey(kept.key));
    return isValid ? kept : undefined;
  } catch {
    return undefined;
  }
}

async function replaceFile(
  path: string,
  { text, mode }: { readonly text: string; readonly mode: number },
): Promise<void> {
  await writeFile(`${path}.new`, text, { mode });
  // A file left by an earlier try has its own mode.
  await chmod(`${path}.new`, mode);
  await rename(`${path}.new`, path);
}
