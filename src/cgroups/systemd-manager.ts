import { execFileSync } from 'node:child_process';
import type { UnitProperty } from './systemd-units.ts';
import { messageOf } from '../kube/text/message-of.ts';

/** The service manager of this host. Each call returns its error, if any. */
export interface SystemdManager {
  /** Creates a missing slice. */
  start(unit: string, properties: readonly UnitProperty[]): 'started' | 'is-there' | { readonly problem: string };
  /** Sets properties of a loaded unit until the machine reboots. */
  set(unit: string, properties: readonly UnitProperty[]): string | undefined;
  /** Stops a unit. A missing unit is not an error. */
  stop(unit: string): string | undefined;
}

/** Runs systemd's command for its bus. Throws the command's output when it fails. */
export type RunBusctl = (args: readonly string[]) => void;

const TARGET = ['org.freedesktop.systemd1', '/org/freedesktop/systemd1', 'org.freedesktop.systemd1.Manager'];
const WITHIN_MS = 2_000;

/** systemd over D-Bus, through its own command: one call when a pod starts, and one when it ends. */
export function systemdManager(run: RunBusctl = busctl): SystemdManager {
  const call = (method: string, signature: string, args: readonly string[]): string | undefined => {
    try {
      // Later arguments may begin with a dash and are not options.
      run(['--system', '--quiet', 'call', '--', ...TARGET, method, signature, ...args]);
      return undefined;
    } catch (error) {
      // A program that failed leaves its complaint here; checked below.
      const said = (error as { readonly stderr?: unknown }).stderr;
      const why = typeof said === 'string' && said.trim() !== '' ? said.trim() : messageOf(error);
      return `systemd, ${method}: ${why}`;
    }
  };
  return {
    start(unit, properties) {
      const problem = call('StartTransientUnit', 'ssa(sv)a(sa(sv))', [unit, 'replace', ...written(properties), '0']);
      if (problem === undefined) return 'started';
      return /UnitExists|already (exists|loaded|been loaded)|has a fragment file/i.test(problem)
        ? 'is-there'
        : { problem };
    },
    set: (unit, properties) => call('SetUnitProperties', 'sba(sv)', [unit, 'true', ...written(properties)]),
    stop(unit) {
      const problem = call('StopUnit', 'ss', [unit, 'replace']);
      return problem !== undefined && /not loaded|NoSuchUnit/i.test(problem) ? undefined : problem;
    },
  };
}

/** Formats an array of (name, variant) structures as busctl takes them. */
const written = (properties: readonly UnitProperty[]): readonly string[] => [
  String(properties.length),
  ...properties.flat(),
];

const busctl: RunBusctl = (args) =>
  void execFileSync('busctl', [...args], { timeout: WITHIN_MS, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
