import type { MonotonicMs } from '../../actor/clock.ts';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { serveAdmin } from '../admin/serve-admin.ts';
import type { AgentSettings } from '../../agent/settings.ts';
import type { RunningAgent } from '../run/start-agent.ts';
import { defaultConfiguration } from '../../config/load-configuration.ts';
import type { KubeletConfiguration } from '../../config/fields/kubelet-configuration.ts';
import { useOwnFileModeMask } from '../../host/data-directories.ts';
import { packageVersion } from '../../package-root.ts';
import { nodeNameOf } from '../run/agent-settings.ts';
import { askRuntime } from './ask-runtime.ts';
import { DevSession, type DevSessionDeps } from './dev-session.ts';
import { devView } from './dev-view.ts';
import { EmbeddedParts } from './embedded-parts.ts';
import { findRuntime, type RuntimeChoice } from './find-runtime.ts';
import { LogFollower } from './log-follower.ts';
import { makeLog } from '../../agent/logger.ts';
import { exitCodes } from '../../agent/process-exit.ts';
import { portOrFree } from './port-or-free.ts';
import type { Program } from '../program-context.ts';
import { removeUnmounted } from './remove-unmounted.ts';
import { commandRuntime, initContainersToEnd } from './simulated-work.ts';
import { judgeInterrupt, onStopSignal } from '../../agent/stop-signals.ts';
import { UserError } from '../user-error.ts';

export interface DevRequest {
  readonly podsDir: string;
  /** How many manifests the folder has. */
  readonly manifests: number;
  readonly rootDir: string;
  /** The folder in which the API server keeps its objects from run to run. */
  readonly dataDir: string | undefined;
  /** `true` if the root folder was made for this run only. */
  readonly isTemporary: boolean;
  readonly runtimeEndpoint: string | undefined;
  /** Exit once all pods are ready, and fail after this time. `undefined` to keep running. */
  readonly readyWithinMs: number | undefined;
  readonly verbosity: number;
  readonly faultInjection: boolean;
}

/** Runs `hivelet dev`, from finding a runtime to the end of the last pod. Returns the exit code. */
export async function runDev(request: DevRequest, program: Program): Promise<number> {
  const { rootDir, faultInjection } = request;
  useOwnFileModeMask();
  const { terminal, clock } = program;
  const view = devView(terminal);
  const stopAsked = Promise.withResolvers<void>();
  let firstAsked: MonotonicMs | undefined;
  onStopSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], () => {
    const verdict = judgeInterrupt(firstAsked, clock.monotonic());
    if (verdict === 'leave-at-once') program.leave(exitCodes.interrupted);
    firstAsked ??= clock.monotonic();
    stopAsked.resolve();
  });

  const choice = await findRuntime(request.runtimeEndpoint, { exists: existsSync, ask: askRuntime });
  view.say(describeChoice(choice));
  if (choice.type === 'unusable') {
    if (request.isTemporary) removeUnmounted(rootDir);
    throw new UserError(`cannot use the runtime at ${choice.endpoint}: ${choice.why}`);
  }
  const admin = await serveAdmin({
    rootDir,
    faultInjection,
    identity: { pid: process.pid, version: packageVersion() },
  }).catch((error: Error) => Promise.reject(new UserError(error.message)));
  const logFile = join(rootDir, 'hivelet.log');
  const nodeName = nodeNameOf(hostname());
  const parts = new EmbeddedParts(program.mainScript, rootDir);
  let agent: RunningAgent | undefined;
  try {
    const [api, runtime] = await Promise.all([
      parts.startApi({ nodeName, dataDir: request.dataDir }),
      choice.type === 'embedded' ? parts.startRuntime() : undefined,
    ]);
    const endpoint = choice.type === 'found' ? choice.endpoint : (runtime?.endpoint ?? '');
    view.say([
      `log: ${logFile}`,
      `pods: ${request.podsDir}; list them with: hivelet get pods --root-dir ${rootDir}`,
      `API: kubectl --kubeconfig ${api.kubeconfig} get pods`,
      request.readyWithinMs === undefined ? 'Ctrl-C stops the pods and exits' : 'exits once all pods are ready',
      '',
    ]);
    const { nodeKubeconfig, authorityFile } = api;
    const config = { ...defaultConfiguration(), port: await portOrFree(defaultConfiguration().port) };
    const simulatedContainers = choice.type === 'embedded';
    const places = { simulatedContainers, endpoint, logFile, nodeName, nodeKubeconfig, authorityFile, config };
    const settings = devSettings(request, places);
    agent = await program.startAgent(settings, makeLog(settings.log));
    admin.open(agent.admin);
    const follower = new LogFollower(logFile);
    const simulate = simulator(runtime?.controlSocket);
    const session = new DevSession({ agent, view, clock, follower, simulate, manifests: request.manifests });
    const code = await session.run({
      stopAsked: stopAsked.promise,
      partEnded: parts.ended,
      readyWithinMs: request.readyWithinMs,
    });
    await parts.stop();
    await admin.close();
    if (code === exitCodes.ok && request.isTemporary) removeUnmounted(rootDir);
    return code;
  } catch (error) {
    await agent?.stop({ pods: 'stop' }).catch(() => {});
    await parts.stop();
    await admin.close();
    throw error;
  }
}

function simulator(controlSocket: string | undefined): DevSessionDeps['simulate'] {
  if (controlSocket === undefined) return () => Promise.resolve();
  return (pods) => Promise.all(initContainersToEnd(pods).map((command) => commandRuntime(controlSocket, command)));
}

export function describeChoice(choice: RuntimeChoice): readonly string[] {
  switch (choice.type) {
    case 'found':
      return [`runtime: ${choice.name} ${choice.version} at ${choice.endpoint}`];
    case 'embedded':
      return [
        ...choice.passedOver,
        'runtime: embedded; no CRI runtime answers on this machine, so containers are only simulated',
      ];
    case 'unusable':
      return [];
    default:
      return choice satisfies never;
  }
}

interface DevPlaces {
  readonly simulatedContainers: boolean;
  readonly endpoint: string;
  readonly logFile: string;
  readonly nodeName: string;
  readonly nodeKubeconfig: string;
  readonly authorityFile: string;
  readonly config: KubeletConfiguration;
}

function devSettings(request: DevRequest, places: DevPlaces): AgentSettings {
  const { endpoint, logFile, nodeName, nodeKubeconfig, authorityFile, config } = places;
  const { authentication, authorization } = config;
  const { rootDir, podsDir, verbosity, faultInjection } = request;
  return {
    nodeName,
    rootDir,
    simulatedContainers: places.simulatedContainers,
    api: { kubeconfig: nodeKubeconfig, certDir: join(rootDir, 'pki') },
    config: {
      ...config,
      authentication: {
        ...authentication,
        anonymous: { ...authentication.anonymous, enabled: false },
        webhook: { ...authentication.webhook, enabled: true },
        x509: { ...authentication.x509, clientCAFile: authorityFile },
      },
      authorization: { ...authorization, mode: 'Webhook' },
      // Several sessions may run at the same time, and beside a kubelet.
      healthzPort: 0,
      // The session's server takes protobuf; a cluster of an operator may ask for it.
      contentType: 'application/vnd.kubernetes.protobuf',
      // A session tries pods out on any machine.
      failCgroupV1: false,
      failSwapOn: false,
      makeIPTablesUtilChains: false,
      cgroupRoot: '/hivelet-dev',
      staticPodPath: podsDir,
      podLogsDir: join(rootDir, 'pod-logs'),
      containerRuntimeEndpoint: endpoint,
    },
    runtimeEndpoint: endpoint,
    imageEndpoint: endpoint,
    profile: 'standard',
    verbosity,
    faultInjection,
    log: { verbosity, format: 'json', destination: logFile },
  };
}
