import { readFile } from 'node:fs/promises';
import { imageArchive, type ImageEntry } from './image-archive.ts';
import { runProgram } from './run-program.ts';

export const PAUSE_IMAGE = 'localhost/pause:1';
export const BUSYBOX_IMAGE = 'docker.io/library/busybox:1.36';
export const BUSYBOX_LATEST_IMAGE = 'docker.io/library/busybox:latest';

export interface TestImage {
  readonly tags: readonly string[];
  readonly archive: Buffer;
}

/**
 * The sandbox's process. The first process of a PID namespace ignores every signal it has no handler for, so a bare
 * `sleep` would outlive SIGTERM; a shell with a trap ends at once, and its `wait` reaps orphans as pause must.
 */
const PAUSE_SCRIPT = `#!/bin/sh
trap 'exit 0' TERM INT
while :; do
  sleep 86400 &
  wait
done
`;

// Reading and packing two megabytes is not dear, but every suite of a run wants the same bytes.
const builtByBusybox = new Map<string, Promise<readonly TestImage[]>>();

/** The pause and busybox images, built from this machine's static busybox once per process. */
export function testImages(busybox: string): Promise<readonly TestImage[]> {
  const built = builtByBusybox.get(busybox) ?? buildImages(busybox);
  builtByBusybox.set(busybox, built);
  return built;
}

async function buildImages(busybox: string): Promise<readonly TestImage[]> {
  const binary = await readFile(busybox);
  const applets = (await runProgram(busybox, ['--list'])).split('\n').filter((name) => name !== '');
  const shell: ImageEntry[] = [
    { path: 'bin', kind: 'directory' },
    { path: 'bin/busybox', kind: 'file', content: binary, mode: 0o755 },
  ];
  const applet = (name: string): ImageEntry => ({ path: `bin/${name}`, kind: 'symlink', target: 'busybox' });
  const pause = {
    tags: [PAUSE_IMAGE],
    entries: [
      ...shell,
      applet('sh'),
      applet('sleep'),
      { path: 'pause', kind: 'file', content: PAUSE_SCRIPT, mode: 0o755 } as const,
    ],
    config: { Entrypoint: ['/pause'], Env: ['PATH=/bin'] },
  };
  const busyboxImage = {
    tags: [BUSYBOX_IMAGE, BUSYBOX_LATEST_IMAGE],
    entries: [
      ...shell,
      ...applets.filter((name) => name !== 'busybox').map(applet),
      { path: 'tmp', kind: 'directory', mode: 0o1777 } as const,
      { path: 'root', kind: 'directory', mode: 0o700 } as const,
      { path: 'etc', kind: 'directory' } as const,
      { path: 'etc/passwd', kind: 'file', content: PASSWD } as const,
      { path: 'etc/group', kind: 'file', content: 'root:x:0:\nnogroup:x:65534:\n' } as const,
    ],
    config: { Cmd: ['sh'], Env: ['PATH=/bin'] },
  };
  return Promise.all(
    [pause, busyboxImage].map(async (image) => ({ tags: image.tags, archive: await imageArchive(image) })),
  );
}

const PASSWD = `root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/:/bin/sh
`;
