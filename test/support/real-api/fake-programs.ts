import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with programs of the names of a control plane's, each of which runs a script of this folder. */
export function fakePrograms(scripts: { readonly 'kube-apiserver': string; readonly etcd: string }): {
  readonly folder: string;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'hivelet-fake-assets-'));
  for (const [name, script] of Object.entries(scripts)) {
    const text = `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, script)}" "$@"\n`;
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}
