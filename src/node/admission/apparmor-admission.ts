import type { Container, Pod } from '../../kube/pod.ts';
import { apparmorSpec } from '../../pod/values/apparmor-spec.ts';
import type { Rejection } from './admission.ts';
import type { HostReader } from '../../host/machine-facts.ts';

/** Whether the kernel of this host confines processes with AppArmor. */
export type AppArmor = 'enabled' | 'absent';

/** As the kernel says it: its module is on, and its policies can be reached. */
export function appArmorOf({ read, list }: Pick<HostReader, 'read' | 'list'>): AppArmor {
  const isOn = read('/sys/module/apparmor/parameters/enabled')?.startsWith('Y') === true;
  return isOn && list('/sys/kernel/security/apparmor').length > 0 ? 'enabled' : 'absent';
}

/**
 * Whether the node can confine the pod as it asks (concept: restrict a container's access with AppArmor). A pod that has
 * begun is not asked again. Undefined: it can, or need not.
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
