import { excerpt } from '../kube/text/excerpt.ts';
import type { PluginInfo } from './gen/registration.ts';

export interface RegisteredDriver {
  readonly name: string;
  /** The path of the plugin's socket. */
  readonly endpoint: string;
}

export type PluginVerdict =
  { readonly ok: true; readonly driver: RegisteredDriver } | { readonly ok: false; readonly message: string };

/** How many of a plugin's versions a refusal repeats. */
const LISTED_VERSIONS = 10;

/** Driver names are domain names, and become names of directories. */
const DRIVER_NAME = /^[A-Za-z0-9]([-A-Za-z0-9.]{0,61}[A-Za-z0-9])?$/;

/** Decides whether a registering plugin is a driver that this node supports (kubelet plugin registration). */
export function judgePlugin(info: PluginInfo, socket: string): PluginVerdict {
  const { type, name, endpoint, supportedVersions } = info;
  if (type !== 'CSIPlugin') {
    return { ok: false, message: `no handler registered for plugin type: ${excerpt(type)} at socket ${socket}` };
  }
  const refuse = (why: string): PluginVerdict => ({
    ok: false,
    message: `failed to validate plugin ${excerpt(name)}: ${why}`,
  });
  if (!DRIVER_NAME.test(name)) return refuse('its name is not a valid driver name');
  if (supportedVersions.length === 0) return refuse('it supports no versions');
  if (!supportedVersions.some((version) => /^v?1(\.|$)/.test(version))) {
    const listed = supportedVersions.slice(0, LISTED_VERSIONS).map((version) => excerpt(version));
    if (supportedVersions.length > LISTED_VERSIONS) listed.push('…');
    return refuse(`none of the versions it supports, ${listed.join(', ')}, is known here: 1.x`);
  }
  if (endpoint === '') return refuse('it names no endpoint');
  return { ok: true, driver: { name, endpoint } };
}
