import type { DriverHere } from './protocol.ts';

interface Plugin {
  readonly version: string;
  readonly status: 'registering' | 'registered' | 'failed';
  readonly driver: DriverHere | undefined;
  readonly failures: number;
  /** Monotonic: not tried again before. */
  readonly notBefore: number;
}

/** By the path of its socket. */
export type Plugins = ReadonlyMap<string, Plugin>;

export type PluginEffect =
  | { readonly type: 'register'; readonly socket: string; readonly version: string }
  /** No socket says any more that this driver is here. */
  | { readonly type: 'forget'; readonly driver: DriverHere };

export interface PluginsDecision {
  readonly plugins: Plugins;
  readonly effects: readonly PluginEffect[];
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 120_000;

/** How long after so many failures in a row something is tried again. */
export const waitMs = (failures: number): number => Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);

/** What has come, what has gone, and what is to be tried again. */
export function socketsSeen(plugins: Plugins, sockets: ReadonlyMap<string, string>, now: number): PluginsDecision {
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

/** A plugin has been asked what it is. `driver` undefined: it is none that can be worked with, or did not answer. */
export function pluginJudged(
  plugins: Plugins,
  {
    socket,
    version,
    driver,
  }: { readonly socket: string; readonly version: string; readonly driver: DriverHere | undefined },
  now: number,
): Plugins {
  const known = plugins.get(socket);
  // Another one has taken its place meanwhile, or it has gone.
  if (known === undefined || known.version !== version) return plugins;
  const next = new Map(plugins);
  if (driver !== undefined) next.set(socket, { version, status: 'registered', driver, failures: 0, notBefore: 0 });
  else {
    const { failures } = known;
    const notBefore = now + waitMs(failures);
    next.set(socket, { ...known, status: 'failed', driver: undefined, failures: failures + 1, notBefore });
  }
  return next;
}

/** Whether all that are here have been asked, with whatever answer. */
export const areJudged = (plugins: Plugins): boolean =>
  [...plugins.values()].every(({ status }) => status !== 'registering');

export const driverNamed = (plugins: Plugins, name: string): DriverHere | undefined =>
  [...plugins.values()].find(({ driver }) => driver?.name === name)?.driver;
