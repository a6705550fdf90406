import type { ApiClient } from '../api/api-client.ts';
import { isNotFound } from '../api/api-request.ts';
import { serviceAccountPath } from '../api/api-path.ts';
import type { Accounts } from './provider-account.ts';
import type { ObjectSource } from '../volumes/plan/object-source.ts';

/** The default lifetime of a TokenRequest. */
const TOKEN_SECONDS = 3_600;

interface ServiceAccount {
  readonly metadata: { readonly uid?: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** Reads service accounts from the API server. Tokens come from the source of volumes' tokens, which caches them. */
export const accountsFromApi = (api: ApiClient, { token }: Pick<ObjectSource, 'token'>): Accounts => ({
  async facts({ namespace, serviceAccount }) {
    const outcome = await api.get<ServiceAccount>(serviceAccountPath(namespace, serviceAccount));
    if (outcome.ok) {
      const { uid = '', annotations = {} } = outcome.value.metadata;
      return { ok: true, value: { uid, annotations } };
    }
    const why = isNotFound(outcome.fault) ? 'not found' : outcome.fault.message;
    return { ok: false, problem: `service account ${namespace}/${serviceAccount}: ${why}` };
  },
  async token({ namespace, name: podName, uid: podUid, serviceAccount }, audience) {
    const answer = await token(
      { namespace, podName, podUid },
      { serviceAccount, audience, expirationSeconds: TOKEN_SECONDS },
    );
    return answer.type === 'found' ? { ok: true, value: answer.token } : { ok: false, problem: answer.message };
  },
});
