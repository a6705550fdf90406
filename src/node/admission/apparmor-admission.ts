import type { Container, Pod } from '../../kube/pod.ts';
import { apparmorSpec } from '../../pod/values/apparmor-spec.ts';
import type { Rejection } from './admission.ts';
import type { HostReader } from '../../host/machine-facts.ts';

/** Says whether the kernel of this host confines processes with AppArmor. */
export type AppArmor = 'enabled' | 'absent';

/** Reads the state from the kernel: the module is on, and its policies can be reached. */
export function appArmorOf({ read, list }: Pick<HostReader, 'read' | 'list'>): AppArmor {
  const isOn = read('/sys/module/apparmor/parameters/enabled')?.startsWith('Y') === true;
  return isOn && list('/sys/kernel/security/apparmor').length > 0 ? 'enabled' : 'absent';
}

/**
 * Returns why the node cannot confine the pod as requested (concept: restrict a container's access with AppArmor);
 * `undefined` when it can, or when no profile is requested. A pod that has started is not checked again.
 */
export function appArmorRejection(pod: Pod, host: AppArmor): Rejection | undefined {
  if ((pod.status?.phase ?? 'Pending') !== 'Pending') return undefined;
  const profiles = allContainers(pod).flatMap((container) => apparmorSpec({ pod, container }) ?? []);
  if (profiles.every(({ type }) => type === 'Unconfined')) return undefined;
  if (host === 'absent') return cannot('AppArmor is not enabled on the host');
  const isNameless = profiles.some(
    ({ type, localhostProfile = '' }) => type === 'Localhost' && localhostProfile === '',
  );
  return isNameless ? cannot('invalid AppArmor profile name: ""') : undefined;
}

const cannot = (why: string): Rejection => ({ reason: 'AppArmor', message: `Cannot enforce AppArmor: ${why}` });

const allContainers = ({ spec }: Pod): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
  ...(spec.ephemeralContainers ?? []),
];
