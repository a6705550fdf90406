import { join } from 'node:path/posix';
import { SecurityProfile_ProfileType as ProfileType } from '../../cri/gen/api.ts';
import type { SecurityProfile } from '../../cri/gen/api.ts';
import type { Container, Pod } from '../../kube/pod.ts';
import type { NodeFacts } from '../../node/object/node-facts.ts';
import { apparmorSpec, type ContainerOfPod } from '../values/apparmor-spec.ts';
import { configError } from './config-outcome.ts';
import type { ConfigError } from './config-outcome.ts';

export type ProfileOutcome = { readonly ok: true; readonly profile: SecurityProfile | undefined } | ConfigError;

const profile = (profileType: ProfileType, localhostRef = ''): SecurityProfile => ({ profileType, localhostRef });

/** Returns the seccomp profile of a container: its own, its pod's, or else the node's default. */
export function seccompProfile(
  { pod, container }: { readonly pod: Pod; readonly container: Container },
  node: Pick<NodeFacts, 'rootDir' | 'seccompDefault'>,
): ProfileOutcome {
  const spec = container.securityContext?.seccompProfile ?? pod.spec.securityContext?.seccompProfile;
  if (spec?.type === 'Localhost') {
    if (!spec.localhostProfile) return configError('localhostProfile must be set if seccompProfile type is Localhost.');
    return { ok: true, profile: profile(ProfileType.Localhost, join(node.rootDir, 'seccomp', spec.localhostProfile)) };
  }
  const isDefault = spec?.type === 'RuntimeDefault' || (spec === undefined && node.seccompDefault);
  return { ok: true, profile: profile(isDefault ? ProfileType.RuntimeDefault : ProfileType.Unconfined) };
}

/** Returns the AppArmor profile of a container; `undefined` when neither container nor pod asks for one. */
export function apparmorProfile(asked: ContainerOfPod): ProfileOutcome {
  const spec = apparmorSpec(asked);
  if (spec === undefined) return { ok: true, profile: undefined };
  if (spec.type === 'RuntimeDefault') return { ok: true, profile: profile(ProfileType.RuntimeDefault) };
  if (spec.type === 'Unconfined') return { ok: true, profile: profile(ProfileType.Unconfined) };
  if (!spec.localhostProfile) return configError('missing localhost apparmor profile name');
  return { ok: true, profile: profile(ProfileType.Localhost, spec.localhostProfile) };
}

/** Formats the same profile as the text that older runtimes read, from before CRI had the message. */
export function apparmorText(apparmor: SecurityProfile | undefined): string {
  if (apparmor === undefined) return '';
  if (apparmor.profileType === ProfileType.RuntimeDefault) return 'runtime/default';
  return apparmor.profileType === ProfileType.Unconfined ? 'unconfined' : `localhost/${apparmor.localhostRef}`;
}
