import { treeOf, type ApiUse, type Profile, type Tree } from '../../actors/tree.ts';

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

/** The actors of an agent with these settings. */
export const treeFor = (
  settings: Parameters<typeof apiUse>[0] & { readonly profile: Profile; readonly serves?: boolean },
): Tree => {
  const api = apiUse(settings);
  return treeOf(settings.profile, api, api === 'api' || settings.serves === true);
};
