import { accessSync, constants } from 'node:fs';
import { type ControlPlanePrograms, findControlPlane } from './find-control-plane.ts';

/**
 * The real control plane of this machine, if any. Prints which program was used, or that there is none: a skipped
 * suite must not look like a passed one.
 */
export function realControlPlane(suite: string): ControlPlanePrograms | undefined {
  const found = findControlPlane(process.env, isExecutable);
  if (found.found) return found.programs;
  process.stderr.write(
    `\nNOTE: "${suite}" runs with the embedded API server: there is no ${found.missing.join(' and no ')}. ` +
      `KUBEBUILDER_ASSETS names a folder with both, as setup-envtest makes it.\n`,
  );
  return undefined;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
