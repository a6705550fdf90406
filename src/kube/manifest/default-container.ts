import { pullPolicyOf } from '../default-pull-policy.ts';
import type {
  Container,
  EnvVar,
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  ResourceRequirements,
} from '../pod.ts';

/** Returns a container with the API's defaults. */
export function defaultContainer(container: Container): Container {
  const { ports, env, lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  return {
    ...container,
    ...(ports === undefined ? {} : { ports: ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })) }),
    ...(env === undefined ? {} : { env: env.map(defaultEnv) }),
    ...(lifecycle === undefined ? {} : { lifecycle: defaultLifecycle(lifecycle) }),
    ...(livenessProbe === undefined ? {} : { livenessProbe: defaultProbe(livenessProbe) }),
    ...(readinessProbe === undefined ? {} : { readinessProbe: defaultProbe(readinessProbe) }),
    ...(startupProbe === undefined ? {} : { startupProbe: defaultProbe(startupProbe) }),
    resources: defaultRequests(container.resources ?? {}),
    terminationMessagePath: container.terminationMessagePath ?? '/dev/termination-log',
    terminationMessagePolicy: container.terminationMessagePolicy ?? 'File',
    imagePullPolicy: container.imagePullPolicy ?? pullPolicyOf(container.image ?? ''),
  };
}

/** A container with a limit and no request gets the limit as its request. */
function defaultRequests(resources: ResourceRequirements): ResourceRequirements {
  if (resources.limits === undefined || Object.keys(resources.limits).length === 0) return resources;
  return { ...resources, requests: { ...resources.limits, ...resources.requests } };
}

function defaultEnv(variable: EnvVar): EnvVar {
  const from = variable.valueFrom;
  if (from === undefined) return variable;
  const { fieldRef, resourceFieldRef, fileKeyRef } = from;
  if (fieldRef !== undefined) {
    return { ...variable, valueFrom: { ...from, fieldRef: { ...fieldRef, apiVersion: fieldRef.apiVersion ?? 'v1' } } };
  }
  if (resourceFieldRef !== undefined) {
    const divisor = resourceFieldRef.divisor ?? '0';
    return { ...variable, valueFrom: { ...from, resourceFieldRef: { ...resourceFieldRef, divisor } } };
  }
  if (fileKeyRef !== undefined) {
    const optional = fileKeyRef.optional ?? false;
    return { ...variable, valueFrom: { ...from, fileKeyRef: { ...fileKeyRef, optional } } };
  }
  return variable;
}

const defaultHttpGet = (action: HTTPGetAction): HTTPGetAction => ({
  ...action,
  path: action.path || '/',
  scheme: action.scheme || 'HTTP',
});

function defaultHandler<Handler extends LifecycleHandler>(handler: Handler): Handler {
  return handler.httpGet === undefined ? handler : { ...handler, httpGet: defaultHttpGet(handler.httpGet) };
}

const defaultLifecycle = (lifecycle: Lifecycle): Lifecycle => ({
  ...lifecycle,
  ...(lifecycle.postStart === undefined ? {} : { postStart: defaultHandler(lifecycle.postStart) }),
  ...(lifecycle.preStop === undefined ? {} : { preStop: defaultHandler(lifecycle.preStop) }),
});

// Zero counts as unset here, as in the API.
function defaultProbe(probe: Probe): Probe {
  const { grpc, httpGet } = probe;
  return {
    ...probe,
    ...(httpGet === undefined ? {} : { httpGet: defaultHttpGet(httpGet) }),
    ...(grpc === undefined ? {} : { grpc: { ...grpc, service: grpc.service ?? '' } }),
    timeoutSeconds: probe.timeoutSeconds || 1,
    periodSeconds: probe.periodSeconds || 10,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
  };
}
