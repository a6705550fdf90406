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

/** An entry of a list response, made once per change: most relists find that nothing has changed. */
export interface Listed<Message> {
  readonly message: Message;
  /** The entry as it stands in an encoded response, tag and length included; made when first asked for. */
  bytes?: Uint8Array;
}

/** A sandbox as the runtime remembers it. */
export interface SandboxRecord {
  readonly id: string;
  /** The name under which no second one can be made: pod, namespace, UID and attempt. */
  readonly reservedName: string;
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUid: string;
  readonly config: PodSandboxConfig;
  readonly runtimeHandler: string;
  readonly createdAt: bigint;
  readonly containers: Map<string, ContainerRecord>;
  state: PodSandboxState;
  /** Empty for the host's network, and once the sandbox's network is gone. */
  ip: string;
  /** Ends the timer of a scripted death. */
  cancelDeath: () => void;
  listed: Listed<PodSandbox> | undefined;
}

/** A container instance as the runtime remembers it. */
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
  /** The same on a scale that never steps; its age is counted from here. */
  startedMonotonic: number;
  finishedAt: bigint;
  exitCode: number;
  reason: string;
  resources: LinuxContainerResources | undefined;
  /** A StartContainer call is under way. */
  starting: boolean;
  /** What this instance was scripted to do; set by the start. */
  run: Run | undefined;
  /** TERM is sent at most once to an instance. */
  termSent: boolean;
  /** Timers that would make it exit. */
  readonly cancelExits: (() => void)[];
  /** Called once, when it stops running or is forgotten. */
  readonly onEnd: Set<() => void>;
  /** Called with what it logs; made for the first who asks. */
  onLog?: Set<(text: string) => void>;
  /** How far this instance's exec lists are consumed; made when there is something to count. */
  execCounters: OutcomeCounters | undefined;
  listed: Listed<Container> | undefined;
}

/** Where the container's log belongs, or nothing if the sandbox has no absolute log directory. */
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
