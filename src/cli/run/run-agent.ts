import { useOwnFileModeMask } from '../../host/data-directories.ts';
import { UnsuitableHost } from '../../host/unsuitable-host.ts';
import { readdir } from 'node:fs/promises';
import { hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../actor/clock.ts';
import type { Log } from '../../actor/log.ts';
import { mebibytes } from '../../actor/insight/memory-holders.ts';
import { RootDirInUse } from '../admin/claim-admin-socket.ts';
import { serveAdmin } from '../admin/serve-admin.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { MainLog, OverMemoryLimit } from '../../agent/agent.ts';
import type { RunningAgent } from './start-agent.ts';
import { loadConfiguration, type ConfigurationFiles } from '../../config/load-configuration.ts';
import { readText, readTextOrPipe } from '../../host/read-regular-file.ts';
import type { KubeletOptions } from '../../config/flags/kubelet-options.ts';
import type { FlagValues } from '../../config/flags/parse-flags.ts';
import { cgroupLimitBytes } from '../../host/process/process-memory.ts';
import { packageVersion } from '../../package-root.ts';
import type { AgentMachine } from './agent-machine.ts';
import type { RunFlags } from './agent-settings.ts';
import { type AgentHost, agentSettings, configured, runLog, shownFlags } from './agent-settings.ts';
import { KEEP_COMPILED_AFTER_MS, keepCompiled, makeCompileCache } from '../../agent/compile-cache.ts';
import { exitHolder } from '../../agent/exit-holders.ts';
import { makeLog } from '../../agent/logger.ts';
import { notifySystemd } from '../../agent/systemd/notify-systemd.ts';
import { type AgentNotice, exitCodes } from '../../agent/process-exit.ts';
import { onStopSignal, type StopReason } from '../../agent/stop-signals.ts';
import { bootstrapCredentials } from './bootstrap-credentials.ts';
import { checkApiAccess } from './check-api-access.ts';
import { notifyWhileHealthy, watchdogAsked, watchdogNotifier } from '../../agent/systemd/watchdog.ts';
import { UserError } from '../user-error.ts';
import { messageOf } from '../../kube/text/message-of.ts';
import { tellParent } from '../tell-parent.ts';

export type StartAgent = (
  settings: AgentSettings,
  log: MainLog,
  overMemoryLimit?: OverMemoryLimit,
) => Promise<RunningAgent>;

export interface RunAgentDeps {
  readonly startAgent: StartAgent;
  readonly machine: AgentMachine;
  readonly clock: Clock;
}

/**
 * The agent exits within five seconds of a stop request, or is killed two seconds later, when its exit would hang.
 * Containers keep running in any case.
 */
const STOP_WITHIN_MS = 4_500;

/** A shell may hand the configuration over in a pipe; nothing else is read from one. */
export const hostFiles = (clock: Clock): ConfigurationFiles => ({
  readFile: (path, named) => (named === 'by-flag' ? readTextOrPipe(path, clock) : readText(path)),
  listFilesBelow: (path) => filesBelow(path),
});

/** `readdir` with `recursive` follows links to folders; this does not. */
async function filesBelow(folder: string, prefix = ''): Promise<readonly string[]> {
  const entries = await readdir(join(folder, prefix), { withFileTypes: true });
  const found = entries.map((entry): Promise<readonly string[]> => {
    const name = join(prefix, entry.name);
    return entry.isDirectory() ? filesBelow(folder, name) : Promise.resolve([name]);
  });
  return (await Promise.all(found)).flat();
}

/** Runs `hivelet run` in this process. Returns the exit code once the agent has ended. Rejects with `UserError`. */
export async function runAgent(flags: FlagValues, run: RunFlags, deps: RunAgentDeps): Promise<number> {
  useOwnFileModeMask();
  const loaded = configured(
    await loadConfiguration({ flags, files: hostFiles(deps.clock), host: deps.machine.startFacts() }),
  );
  const logSettings = runLog(flags, loaded, process.stderr.isTTY);
  const settings = agentSettings(loaded, { ...run, flags: shownFlags(flags), log: logSettings }, thisHost());
  const log = makeLog(settings.log);
  const watchdog = watchdogAsked(process.env, process.pid);
  if (watchdog.type === 'unusable') throw new UserError(watchdog.problem);
  const lockWanted = await holdLock(loaded.options, { machine: deps.machine, log });
  notify({ type: 'agent-oom-score', value: settings.config.oomScoreAdj });
  for (const warning of await deps.machine.holdProcess(settings.config)) log.warn({}, warning);
  if (settings.memoryLimitBytes !== undefined) notify({ type: 'agent-memory-limit', bytes: settings.memoryLimitBytes });
  if (settings.api !== undefined) {
    await bootstrapCredentials(settings.api, { nodeName: settings.nodeName, clock: deps.clock, log });
  }
  await checkApiAccess(settings, deps.clock.now());
  const { rootDir, faultInjection, nodeName } = settings;
  // Up to here there is nothing to release, so a signal may end the process at once.
  const admin = await claimRootDir({ rootDir, faultInjection });
  const asked = Promise.withResolvers<StopReason>();
  onStopSignal(['SIGINT', 'SIGTERM'], asked.resolve);
  const cache = makeCompileCache(rootDir);
  if (cache.problem !== undefined)
    log.warn({ err: cache.problem }, 'compile cache cannot be used; agent starts take longer');
  if (loaded.notActedOn.length > 0) {
    log.warn({ settings: loaded.notActedOn }, 'settings are valid but not implemented; ignoring them');
  }
  const memoryLimitMiB = settings.memoryLimitBytes === undefined ? 'none' : mebibytes(settings.memoryLimitBytes);
  log.info({ node: nodeName, rootDir, runtime: settings.runtimeEndpoint, memoryLimitMiB }, 'agent starting');
  const agent = await deps.startAgent(settings, log, overMemoryLimit).catch(async (error: unknown) => {
    if (!(error instanceof UnsuitableHost)) throw error;
    await admin.close();
    throw new UserError(`this host cannot run as a node with this configuration: ${error.message}`);
  });
  admin.open(agent.admin);
  announceReady();
  log.info({ node: nodeName }, 'agent ready');
  const endWatchdog =
    watchdog.type === 'on'
      ? notifyWhileHealthy({
          withinMs: watchdog.withinMs,
          clock: deps.clock,
          log,
          healthProblem: () => agent.healthProblem(),
          notify: healthReporter(deps.clock),
        })
      : () => {};
  let isCompiledKept = false;
  deps.clock.after(KEEP_COMPILED_AFTER_MS, () => {
    keepCompiled();
    void agent.keepCompiled().then(() => (isCompiledKept = true));
  });
  const failure = agent.failed.then((reason) => ({ failed: reason }));
  const stops = [asked.promise, lockWanted()].map((stop) => stop.then((reason) => ({ asked: reason })));
  const end = await Promise.race([failure, ...stops]);
  if ('failed' in end) log.error({ reason: end.failed }, 'agent failed; stopping it, containers keep running');
  else log.info({ reason: end.asked }, 'agent stopping, containers keep running');
  endWatchdog();
  if (process.channel === undefined) void notifySystemd('STOPPING=1');
  if (!isCompiledKept) cache.abandon();
  const stopped = await inTime(agent.stop({ pods: 'keep' }), { clock: deps.clock, log });
  await admin.close();
  if (stopped) log.info({}, 'agent stopped');
  const code = 'failed' in end ? exitCodes.agentFailed : exitCodes.ok;
  notify({ type: 'agent-exiting', code });
  await killIfExitHangs(agent, { clock: deps.clock, log });
  return code;
}

/** Returns a function that resolves with the reason when another process wants the lock file, if the agent is to end then. */
async function holdLock(
  { lockFile, exitOnLockContention }: KubeletOptions,
  { machine, log }: { readonly machine: AgentMachine; readonly log: Log },
): Promise<() => Promise<string>> {
  const never = (): Promise<string> => new Promise(() => {});
  if (lockFile === null) return never;
  const waits = (): void => log.info({ lockFile }, 'another process holds the lock file; waiting for it');
  const held = await machine.holdLockFile(lockFile, waits).catch((error: unknown) => {
    throw new UserError(`cannot lock --lock-file ${lockFile}: ${messageOf(error)}`);
  });
  if (!exitOnLockContention) return never;
  if (!held.showsWaiting) {
    const follows = 'the agent ends only when the file is removed (--exit-on-lock-contention)';
    log.warn({ lockFile }, `the kernel does not show who waits for the lock file; ${follows}`);
  }
  return () => held.wanted();
}

async function claimRootDir(options: {
  readonly rootDir: string;
  readonly faultInjection: boolean;
}): ReturnType<typeof serveAdmin> {
  try {
    return await serveAdmin({ ...options, identity: { pid: process.pid, version: packageVersion() } });
  } catch (error) {
    if (error instanceof RootDirInUse) throw new UserError(error.message);
    throw new UserError(`cannot use --root-dir ${options.rootDir}: ${messageOf(error)}`);
  }
}

function announceReady(): void {
  if (process.channel === undefined) void notifySystemd('READY=1');
  else notify({ type: 'agent-ready' });
}

/** Reports the agent's health to the launcher, which owns the socket of systemd, or to systemd itself. */
const healthReporter = (clock: Clock): (() => void) =>
  process.channel === undefined ? watchdogNotifier(clock) : () => notify({ type: 'agent-healthy' });

/** Notifies the launcher, if there is one. */
const notify = (notice: AgentNotice): void => tellParent(notice);

function thisHost(): AgentHost {
  const machineBytes = totalmem();
  return { name: hostname(), machineBytes, cgroupBytes: cgroupLimitBytes(process.constrainedMemory(), machineBytes) };
}

/** Without a launcher, an agent with a thread that cannot be ended kills itself: its exit would hang. */
const overMemoryLimit: OverMemoryLimit = (threads) => {
  const code = exitCodes.memoryLimit;
  if (process.send !== undefined) process.send({ type: 'agent-exiting', code }, () => process.exit(code));
  else if (threads === 'hanging') killThisProcess();
  else process.exit(code);
};

/**
 * Kills this process when its exit would wait for a thread that waits for the kernel. No code runs during an exit, so
 * this is checked before. The log is complete: its lines are written at once.
 */
async function killIfExitHangs(
  agent: Pick<RunningAgent, 'endThreads'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<void> {
  const holder = await exitHolder({
    endThreads: () => agent.endThreads(),
    activeResources: () => process.getActiveResourcesInfo(),
    clock,
  });
  if (holder === undefined) return;
  log.error({ reason: holder }, 'the exit would wait for the kernel; killing this process, containers keep running');
  killThisProcess();
}

const killThisProcess = (): void => void process.kill(process.pid, 'SIGKILL');

async function inTime(
  stopping: Promise<void>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const disarm = clock.after(STOP_WITHIN_MS, () => late.resolve(false));
  try {
    const stopped = await Promise.race([stopping.then(() => true), late.promise]);
    if (!stopped)
      log.error(
        { withinMs: STOP_WITHIN_MS },
        'agent did not stop in time; exiting without waiting, containers keep running',
      );
    return stopped;
  } catch (error) {
    log.error({ err: String(error) }, 'agent did not stop in order; exiting, containers keep running');
    return false;
  } finally {
    disarm();
  }
}
