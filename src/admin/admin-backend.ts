import type { Provocation, ThreadFigures } from '../actor/thread-control.ts';
import type { Pod } from '../kube/pod.ts';

/** The container runtime as the agent knows it. */
export interface RuntimeInfo {
  readonly name: string;
  readonly version: string;
  /** In one word for people, such as `up` or `down`. */
  readonly state: string;
}

/** What the running agent answers on its admin socket. A rejection is told to the caller as a failure of the agent. */
export interface AdminBackend {
  /** Every pod that this node has, with its status; in any order. */
  pods(): Promise<readonly Pod[]>;
  threads(): Promise<readonly ThreadFigures[]>;
  /** Prometheus text. */
  metrics(): Promise<string>;
  runtime(): Promise<RuntimeInfo>;
  /** Makes the actor throw. False if there is none with that address. */
  crashActor(address: string): Promise<boolean>;
  /** Makes the thread fail. False if there is none of that name. */
  provokeThread(name: string, how: Provocation): Promise<boolean>;
}
