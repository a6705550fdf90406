import { own } from '../../kube/text/own.ts';
import type { Container, Pod, SecurityProfileSpec } from '../../kube/pod.ts';

const APPARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

export interface ContainerOfPod {
  readonly pod: Pod;
  readonly container: Container;
}

/** What a container asks for of AppArmor; `undefined` where nobody asks for anything. The annotation is the field's old form. */
export const apparmorSpec = ({ pod, container }: ContainerOfPod): SecurityProfileSpec | undefined =>
  container.securityContext?.appArmorProfile ??
  fromAnnotation(own(pod.metadata.annotations, APPARMOR_ANNOTATION + container.name)) ??
  pod.spec.securityContext?.appArmorProfile;

function fromAnnotation(value: string | undefined): SecurityProfileSpec | undefined {
  if (value === undefined || value === '') return undefined;
  if (value === 'runtime/default') return { type: 'RuntimeDefault' };
  if (value === 'unconfined') return { type: 'Unconfined' };
  // What is no profile at all counts for nothing, as where an API server has not let it through.
  return value.startsWith('localhost/')
    ? { type: 'Localhost', localhostProfile: value.slice('localhost/'.length) }
    : undefined;
}
