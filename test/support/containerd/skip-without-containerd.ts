import { containerdAvailability } from './containerd-availability.ts';

/**
 * For `describe.skipIf`: `true` if a suite that needs real containerd must be skipped here, which is then printed
 * with everything that is missing. Never where HIVELET_E2E=required; there the suite runs, and fails on the same list.
 */
export function skipWithoutContainerd(suite: string): boolean {
  const availability = containerdAvailability();
  if (availability.available || process.env['HIVELET_E2E'] === 'required') return false;
  process.stderr.write(
    `\nWARNING: NOT RUN: "${suite}" needs real containerd, and this machine lacks:\n` +
      availability.missing.map((thing) => `  - ${thing}\n`).join('') +
      `On Debian, .ci/install-packages (as root) brings the packages. HIVELET_E2E=required makes this a failure.\n`,
  );
  return true;
}
