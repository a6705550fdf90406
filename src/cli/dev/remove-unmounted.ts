import { existsSync, readFileSync, rmSync } from 'node:fs';

/** Removes a folder with its content, unless something is mounted there: a mount holds files of others. */
export function removeUnmounted(folder: string): void {
  if (!mountsBelow(folder)) rmSync(folder, { recursive: true, force: true });
}

function mountsBelow(folder: string): boolean {
  const table = '/proc/self/mountinfo';
  if (!existsSync(table)) return false;
  return mountPoints(readFileSync(table, 'utf8')).some((point) => point === folder || point.startsWith(`${folder}/`));
}

/** Returns the mount points in the kernel's table. Blanks and similar characters are octal numbers in it. */
export const mountPoints = (mountinfo: string): readonly string[] =>
  mountinfo
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point !== '')
    .map((point) =>
      point.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    );
