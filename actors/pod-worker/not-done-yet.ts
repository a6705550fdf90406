import type { Container, Pod } from '../../src/kube/pod.ts';

/** What a pod asks for that this agent does not do yet, as one sentence for its operator. `undefined`: nothing. */
export function notDoneYet({ spec }: Pod): string | undefined {
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const parts: string[] = [];
  const named = (is: (container: Container) => unknown): string =>
    containers
      .filter((container) => is(container) !== undefined)
      .map(({ name }) => name)
      .join(', ');
  const waiting = named(({ readinessProbe, startupProbe }) => readinessProbe ?? startupProbe);
  const living = named(({ livenessProbe }) => livenessProbe);
  const hooks = named(({ lifecycle }) => lifecycle?.postStart ?? lifecycle?.preStop);
  if (waiting !== '') parts.push(`readiness and startup probes are not run yet, so these stay not ready: ${waiting}`);
  if (living !== '') parts.push(`liveness probes are not run yet: ${living}`);
  if (hooks !== '') parts.push(`lifecycle hooks are not run yet: ${hooks}`);
  return parts.length === 0 ? undefined : parts.join('; ');
}
