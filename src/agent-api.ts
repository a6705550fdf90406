import type { ApiUse } from '../actors/tree.ts';

/** How an agent reaches its API server. */
export interface ApiSettings {
  readonly kubeconfig: string;
  /** With which a client certificate is asked for, where `kubeconfig` does not exist yet. */
  readonly bootstrapKubeconfig?: string;
  /** Where certificates are kept. */
  readonly certDir: string;
}

export const apiUse = ({ api }: { readonly api?: ApiSettings }): ApiUse => (api === undefined ? 'standalone' : 'api');
