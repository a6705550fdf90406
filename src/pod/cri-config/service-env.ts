/** The facts of a Service that a container's environment shows. */
export interface ServiceFacts {
  readonly namespace: string;
  readonly name: string;
  /** Empty, or `None` for a headless service. Such a service gets no variables. */
  readonly clusterIP: string;
  readonly ports: readonly ServicePortFacts[];
}

interface ServicePortFacts {
  readonly name?: string;
  readonly protocol?: string;
  readonly port: number;
}

interface PodView {
  readonly namespace: string;
  readonly enableServiceLinks: boolean;
}

const asVariable = (name: string): string => name.toUpperCase().replaceAll('-', '_');

/**
 * Returns the environment variables by which containers find services. The API server's own service is always included;
 * services of the pod's namespace are included only if the pod enables service links. A service of the pod's namespace
 * hides the API server's service of the same name.
 */
export function serviceEnv(services: readonly ServiceFacts[], pod: PodView): ReadonlyMap<string, string> {
  const chosen = new Map<string, ServiceFacts>();
  for (const service of services) {
    if (service.clusterIP === '' || service.clusterIP === 'None' || service.ports.length === 0) continue;
    if (service.namespace === pod.namespace && pod.enableServiceLinks) chosen.set(service.name, service);
    else if (service.namespace === 'default' && service.name === 'kubernetes' && !chosen.has(service.name)) {
      chosen.set(service.name, service);
    }
  }
  const variables = new Map<string, string>();
  for (const service of chosen.values()) addVariables(variables, service);
  return variables;
}

function addVariables(variables: Map<string, string>, service: ServiceFacts): void {
  const prefix = asVariable(service.name);
  const [first] = service.ports;
  if (first === undefined) return;
  const host = service.clusterIP.includes(':') ? `[${service.clusterIP}]` : service.clusterIP;
  variables.set(`${prefix}_SERVICE_HOST`, service.clusterIP);
  variables.set(`${prefix}_SERVICE_PORT`, String(first.port));
  for (const { name, port } of service.ports) {
    if (name) variables.set(`${prefix}_SERVICE_PORT_${asVariable(name)}`, String(port));
  }
  // The older form of Docker links.
  variables.set(`${prefix}_PORT`, urlOf(first, host));
  for (const servicePort of service.ports) {
    const protocol = servicePort.protocol || 'TCP';
    const port = `${prefix}_PORT_${servicePort.port}_${protocol.toUpperCase()}`;
    variables.set(port, urlOf(servicePort, host));
    variables.set(`${port}_PROTO`, protocol.toLowerCase());
    variables.set(`${port}_PORT`, String(servicePort.port));
    variables.set(`${port}_ADDR`, service.clusterIP);
  }
}

const urlOf = ({ protocol, port }: ServicePortFacts, host: string): string =>
  `${(protocol || 'TCP').toLowerCase()}://${host}:${port}`;
