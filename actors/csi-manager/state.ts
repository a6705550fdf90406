import { later, type MonotonicMs } from '../../src/actor/clock.ts';
import type { DriverEndpoint } from './protocol.ts';
import { backOffMs } from '../../src/actor/back-off.ts';

interface Plugin {
  readonly version: string;
  readonly status: 'registering' | 'registered' | 'failed';
  readonly driver: DriverEndpoint | undefined;
  readonly failures: number;
  /** Monotonic instant before which registration is not retried. */
  readonly notBefore: MonotonicMs;
}

/** Plugins by the path of their socket. */
export type Plugins = ReadonlyMap<string, Plugin>;

export type PluginEffect =
  | { readonly type: 'register'; readonly socket: string; readonly version: string }
  /** No socket announces this driver any more. */
  | { readonly type: 'forget'; readonly driver: DriverEndpoint };

export interface PluginsDecision {
  readonly plugins: Plugins;
  readonly effects: readonly PluginEffect[];
}

const WAIT = { initialMs: 500, maxMs: 120_000 };

/** The wait before a retry, after this many consecutive failures. */
export const waitMs = (failures: number): number => backOffMs(failures + 1, WAIT);

/**
 * Compares the sockets with the known plugins: registers new and changed plugins, retries failed plugins, drops
 * vanished drivers.
 */
export function socketsSeen(plugins: Plugins, sockets: ReadonlyMap<string, string>, now: MonotonicMs): PluginsDecision {
  const next = new Map<string, Plugin>();
  const effects: PluginEffect[] = [];
  for (const [socket, version] of sockets) {
    const known = plugins.get(socket);
    const isSame = known !== undefined && known.version === version;
    if (isSame && (known.status !== 'failed' || known.notBefore > now)) {
      next.set(socket, known);
      continue;
    }
    const failures = isSame ? known.failures : 0;
    next.set(socket, { version, status: 'registering', driver: known?.driver, failures, notBefore: 0 });
    effects.push({ type: 'register', socket, version });
  }
  const present = new Set([...next.values()].flatMap(({ driver }) => (driver === undefined ? [] : [driver.name])));
  for (const [socket, { driver }] of plugins) {
    if (!sockets.has(socket) && driver !== undefined && !present.has(driver.name))
      effects.push({ type: 'forget', driver });
  }
  return { plugins: next, effects };
}

/** Records the result of a registration. `driver` is `undefined` when the plugin did not answer or cannot be used. */
export function pluginJudged(
  plugins: Plugins,
  {
    socket,
    version,
    driver,
  }: { readonly socket: string; readonly version: string; readonly driver: DriverEndpoint | undefined },
  now: MonotonicMs,
): Plugins {
  const known = plugins.get(socket);
  // Meanwhile another plugin has taken the socket, or the socket has vanished.
  if (known === undefined || known.version !== version) return plugins;
  const next = new Map(plugins);
  if (driver !== undefined) next.set(socket, { version, status: 'registered', driver, failures: 0, notBefore: 0 });
  else {
    const { failures } = known;
    const notBefore = later(now, waitMs(failures));
    next.set(socket, { ...known, status: 'failed', driver: undefined, failures: failures + 1, notBefore });
  }
  return next;
}

/** `true` if every present plugin has been registered or has failed. */
export const areJudged = (plugins: Plugins): boolean =>
  [...plugins.values()].every(({ status }) => status !== 'registering');

export const driverNamed = (plugins: Plugins, name: string): DriverEndpoint | undefined =>
  [...plugins.values()].find(({ driver }) => driver?.name === name)?.driver;
