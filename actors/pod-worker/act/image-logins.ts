import { excerpt } from '../../../src/kube/text/excerpt.ts';
import type { Pod } from '../../../src/kube/pod.ts';
import type { PullingPod } from '../../../src/images/provider-account.ts';
import { loginHash, type PullAccess, type SecretAccess } from '../../../src/images/pull-records.ts';
import {
  loginsFor,
  type ImageLogin,
  type RegistryLogin,
  type SecretName,
} from '../../../src/pod/image/image-credentials.ts';
import type { PodWorkerTools } from '../tools.ts';
import type { PodEvent } from '../worker-state.ts';

export interface PodLogins {
  /** Best first. */
  readonly logins: readonly ImageLogin[];
  /** The event about secrets that could not be used; absent when all could. */
  readonly missing?: PodEvent;
}

/** Returns the logins for an image from the pod's pull secrets. */
export async function loginsOfPod(
  { pod, tools: { objects } }: { readonly pod: Pod; readonly tools: Pick<PodWorkerTools, 'objects'> },
  image: string,
): Promise<PodLogins> {
  if (objects === undefined || (pod.spec.imagePullSecrets ?? []).length === 0) return NO_LOGINS;
  const { secrets, without } = await objects.pullSecrets(pod);
  const { logins, leftOut } = loginsFor(image, secrets);
  const missing = [...without, ...leftOut];
  return missing.length === 0 ? { logins } : { logins, missing: secretsMissing(missing) };
}

const NO_LOGINS: PodLogins = { logins: [] };

const secretsMissing = (names: readonly string[]): PodEvent => ({
  type: 'Warning',
  reason: 'FailedToRetrieveImagePullSecret',
  message: `Unable to retrieve some image pull secrets (${excerpt(names.join(', '))}); attempting to pull the image may not succeed.`,
});

/** Returns what the pod's own secrets among these logins give access to. */
export const secretAccess = (logins: readonly ImageLogin[]): readonly SecretAccess[] =>
  logins.flatMap(({ secret, ...login }) => (secret === undefined ? [] : accessOf(login, secret)));

const accessOf = (login: RegistryLogin, secret: SecretName): SecretAccess => ({
  ...secret,
  credentialHash: loginHash(login),
});

/** Returns the access that a pull with this login grants. */
export function accessThrough({ secret, account, ...login }: ImageLogin): PullAccess {
  if (secret !== undefined) return accessOf(login, secret);
  return account === undefined ? 'node' : { serviceAccount: account };
}

export const pullingPod = ({ metadata, spec }: Pod): PullingPod => ({
  namespace: metadata.namespace,
  name: metadata.name,
  uid: metadata.uid,
  serviceAccount: spec.serviceAccountName ?? '',
});
