import type { MonotonicMs } from '../../../actor/clock.ts';
import type {
  Container,
  ContainerConfig,
  ContainerState,
  LinuxContainerResources,
  PodSandbox,
  PodSandboxConfig,
  PodSandboxState,
} from '../../../cri/gen/api.ts';
import type { Run } from '../script/outcome.ts';
import type { OutcomeCounters } from '../script/outcomes.ts';
import { trimEndOf } from '../../../kube/text/trim-run.ts';
import { TERMINATION_MESSAGE_PATH_ANNOTATION } from '../../../pod/values/pod-labels.ts';

/** A list entry, encoded once per change: most relists find no change. */
export interface Listed<Message> {
  readonly message: Message;
  /** The entry as in an encoded response, tag and length included; made on first use. */
  bytes?: Uint8Array;
}

/** The runtime's record of a sandbox. */
export interface SandboxRecord {
  readonly id: string;
  /** The unique name of the sandbox: pod, namespace, UID and attempt. */
  readonly reservedName: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUid: string;
  readonly config: PodSandboxConfig;
  readonly runtimeHandler: string;
  readonly createdAt: bigint;
  readonly containers: Map<string, ContainerRecord>;
  state: PodSandboxState;
  /** Empty for the host's network, and after the sandbox's network is torn down. */
  ip: string;
  /** Cancels the timer of a scripted death. */
  cancelDeath: () => void;
  listed: Listed<PodSandbox> | undefined;
}

/** The runtime's record of a container instance. */
export interface ContainerRecord {
  readonly id: string;
  readonly reservedName: string;
  readonly name: string;
  readonly sandbox: SandboxRecord;
  readonly config: ContainerConfig;
  readonly imageId: string;
  readonly createdAt: bigint;
  state: ContainerState;
  startedAt: bigint;
  /** The same instant, monotonic; the container's age counts from here. */
  startedMonotonic: MonotonicMs;
  finishedAt: bigint;
  exitCode: number;
  reason: string;
  resources: LinuxContainerResources | undefined;
  /** `true` while a StartContainer call is in flight. */
  starting: boolean;
  /** The scripted behaviour of this instance; set by the start. */
  run: Run | undefined;
  /** TERM is sent at most once to an instance. */
  termSent: boolean;
  /** Cancel the timers of scripted exits. */
  readonly cancelExits: (() => void)[];
  /** Called once, when the container ends or is removed. */
  readonly onEnd: Set<() => void>;
  /** Called with each log text; made for the first listener. */
  onLog?: Set<(text: string) => void>;
  /** The consumed part of this instance's exec lists; made on first use. */
  execCounters: OutcomeCounters | undefined;
  listed: Listed<Container> | undefined;
}

/** Returns the path of the container's log. `undefined` when the sandbox has no absolute log directory. */
export function logFileOf(container: ContainerRecord): string | undefined {
  const { logDirectory } = container.sandbox.config;
  if (!logDirectory.startsWith('/') || container.config.logPath === '') return undefined;
  return `${trimEndOf(logDirectory, '/')}/${container.config.logPath}`;
}

/** The host's file behind the container's termination message path, if that path is mounted. */
export function terminationFileOf(container: ContainerRecord): string | undefined {
  const path = container.config.annotations[TERMINATION_MESSAGE_PATH_ANNOTATION];
  return path ? container.config.mounts.find((mount) => mount.containerPath === path)?.hostPath : undefined;
}
