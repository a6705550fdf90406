import type { PluginInfo } from './gen/registration.ts';

export interface RegisteredDriver {
  readonly name: string;
  /** The path of the plugin's socket. */
  readonly endpoint: string;
}

export type PluginVerdict =
  { readonly ok: true; readonly driver: RegisteredDriver } | { readonly ok: false; readonly message: string };

/** Driver names are domain names, and become names of directories. */
const DRIVER_NAME = /^[A-Za-z0-9]([-A-Za-z0-9.]{0,61}[A-Za-z0-9])?$/;

/** Decides whether a registering plugin is a driver that this node supports (kubelet plugin registration). */
export function judgePlugin(info: PluginInfo, socket: string): PluginVerdict {
  const { type, name, endpoint, supportedVersions } = info;
  if (type !== 'CSIPlugin') {
    return { ok: false, message: `no handler registered for plugin type: ${type} at socket ${socket}` };
  }
  const refuse = (why: string): PluginVerdict => ({ ok: false, message: `failed to validate plugin ${name}: ${why}` });
  if (!DRIVER_NAME.test(name)) return refuse('its name is not a valid driver name');
  if (supportedVersions.length === 0) return refuse('it supports no versions');
  if (!supportedVersions.some((version) => /^v?1(\.|$)/.test(version))) {
    return refuse(`none of the versions it supports, ${supportedVersions.join(', ')}, is known here: 1.x`);
  }
  if (endpoint === '') return refuse('it names no endpoint');
  return { ok: true, driver: { name, endpoint } };
}
