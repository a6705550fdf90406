import type { PodSpec } from '../../kube/pod.ts';

interface HostPort {
  readonly protocol: string;
  readonly ip: string;
  readonly port: number;
}

const ANY_IP = '0.0.0.0';

/**
 * Ports of the node that pods have taken. Checking, taking and freeing have a constant cost, however many ports are
 * taken.
 */
export class HostPorts {
  /** By protocol and port: how many times each address has been taken. */
  readonly #taken = new Map<string, Map<string, number>>();

  /** `true` if every host port of the pod is still free. Ports on different addresses or protocols do not conflict. */
  areFree(spec: PodSpec): boolean {
    return hostPortsOf(spec).every(({ protocol, port, ip }) => {
      const addresses = this.#taken.get(`${protocol}/${port}`);
      if (addresses === undefined) return true;
      return ip !== ANY_IP && !addresses.has(ip) && !addresses.has(ANY_IP);
    });
  }

  take(spec: PodSpec): void {
    for (const { protocol, port, ip } of hostPortsOf(spec)) {
      const key = `${protocol}/${port}`;
      const addresses = this.#taken.get(key) ?? new Map<string, number>();
      addresses.set(ip, (addresses.get(ip) ?? 0) + 1);
      this.#taken.set(key, addresses);
    }
  }

  giveBack(spec: PodSpec): void {
    for (const { protocol, port, ip } of hostPortsOf(spec)) {
      const key = `${protocol}/${port}`;
      const addresses = this.#taken.get(key);
      const left = (addresses?.get(ip) ?? 0) - 1;
      if (left > 0) addresses?.set(ip, left);
      else addresses?.delete(ip);
      if (addresses?.size === 0) this.#taken.delete(key);
    }
  }
}

/**
 * Returns the host ports of regular containers and sidecars. Other init containers end too early for their ports to
 * matter.
 */
function hostPortsOf({ containers, initContainers = [] }: PodSpec): readonly HostPort[] {
  const found: HostPort[] = [];
  for (const { ports = [], restartPolicy } of [
    ...containers.map(({ ports }) => ({ ports, restartPolicy: 'Always' })),
    ...initContainers,
  ]) {
    if (restartPolicy !== 'Always') continue;
    for (const { hostPort = 0, hostIP = '', protocol = 'TCP' } of ports) {
      if (hostPort > 0) found.push({ port: hostPort, protocol, ip: hostIP === '' ? ANY_IP : hostIP });
    }
  }
  return found;
}
