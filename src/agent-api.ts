import type { ApiUse } from '../actors/tree.ts';

/** How an agent reaches its API server. */
export interface ApiSettings {
  readonly kubeconfig: string;
  /** With which a client certificate is asked for, where `kubeconfig` does not exist yet. */
  readonly bootstrapKubeconfig?: string;
  /** Where certificates are kept. */
  readonly certDir: string;
}

/** A folder of objects is for an agent without an API server; beside one it would say something else than that. */
export const apiUse = ({ api, objectsDir }: { readonly api?: ApiSettings; readonly objectsDir?: string }): ApiUse =>
  api !== undefined ? 'api' : objectsDir === undefined ? 'standalone' : 'objects-folder';
