import type { Caller } from '../calls/caller.ts';

/** A running container, to whoever streams to and from it. */
export interface ContainerPlace {
  readonly env: ReadonlyMap<string, string>;
  readonly hostname: string;
  /** Aborted when the container ends. */
  readonly ended: AbortSignal;
  /** What the script says of a command; undefined: nothing, or no container is left. */
  scripted(
    cmd: readonly string[],
    caller: Caller,
  ): Promise<{ readonly code: number; readonly text: string }> | undefined;
  /** What the container itself runs, if a client can talk to it. */
  readonly main: MainProcess | undefined;
  /** The container's own process has ended. */
  exit(code: number): void;
  /** Adds whole lines to the container's log; who listens to it does not hear of them. */
  log(text: string): void;
  /** Calls `listener` with whatever the container logs from now on. */
  onLog(listener: (text: string) => void): void;
  /** Ends what was asked for here. */
  release(): void;
}

/** What a container itself runs when that is something to type at. */
export interface MainProcess {
  readonly argv: readonly string[];
  readonly tty: boolean;
  /** Its input ends with the first client's, as `stdinOnce` says. */
  readonly stdinOnce: boolean;
}
