import { join } from 'node:path';

/** The programs of a real control plane, as far as a node needs one. */
export interface ControlPlanePrograms {
  readonly apiServer: string;
  readonly etcd: string;
}

export type ControlPlaneFound =
  | { readonly found: true; readonly programs: ControlPlanePrograms }
  /** The searched folders, and the missing programs. */
  | { readonly found: false; readonly missing: readonly string[] };

/** The default folder of `setup-envtest` and kubebuilder. */
const USUAL_FOLDER = '/usr/local/kubebuilder/bin';

/**
 * Looks for `kube-apiserver` and `etcd` as envtest does: a file named by `TEST_ASSET_KUBE_APISERVER` or
 * `TEST_ASSET_ETCD`, else in the folder that `KUBEBUILDER_ASSETS` names, else in the usual one.
 */
export function findControlPlane(
  env: Readonly<Record<string, string | undefined>>,
  isExecutable: (path: string) => boolean,
): ControlPlaneFound {
  const pathOf = (variable: string, program: string): string =>
    env[variable] || join(env['KUBEBUILDER_ASSETS'] || USUAL_FOLDER, program);
  const programs = {
    apiServer: pathOf('TEST_ASSET_KUBE_APISERVER', 'kube-apiserver'),
    etcd: pathOf('TEST_ASSET_ETCD', 'etcd'),
  };
  const missing = Object.values(programs).filter((path) => !isExecutable(path));
  return missing.length === 0 ? { found: true, programs } : { found: false, missing };
}
