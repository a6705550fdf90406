import { own } from '../../kube/text/own.ts';
import type { Container, Pod, SecurityProfileSpec } from '../../kube/pod.ts';

const APPARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

export interface ContainerOfPod {
  readonly pod: Pod;
  readonly container: Container;
}

/**
 * Returns the AppArmor profile that a container asks for, from the field or its older form, the annotation; `undefined`
 * when there is none.
 */
export const apparmorSpec = ({ pod, container }: ContainerOfPod): SecurityProfileSpec | undefined =>
  container.securityContext?.appArmorProfile ??
  fromAnnotation(own(pod.metadata.annotations, APPARMOR_ANNOTATION + container.name)) ??
  pod.spec.securityContext?.appArmorProfile;

function fromAnnotation(value: string | undefined): SecurityProfileSpec | undefined {
  if (value === undefined || value === '') return undefined;
  if (value === 'runtime/default') return { type: 'RuntimeDefault' };
  if (value === 'unconfined') return { type: 'Unconfined' };
  // A malformed profile is ignored, since an API server would have rejected it.
  return value.startsWith('localhost/')
    ? { type: 'Localhost', localhostProfile: value.slice('localhost/'.length) }
    : undefined;
}
