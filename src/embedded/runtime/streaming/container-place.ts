import type { Caller } from '../calls/caller.ts';

/** A running container, as its streams see it. */
export interface ContainerPlace {
  readonly env: ReadonlyMap<string, string>;
  readonly hostname: string;
  /** Aborted when the container ends. */
  readonly ended: AbortSignal;
  /** Returns the scripted result of a command. `undefined` when the script has none, or the container is gone. */
  scripted(
    cmd: readonly string[],
    caller: Caller,
  ): Promise<{ readonly code: number; readonly text: string }> | undefined;
  /** The container's own process. `undefined` when it does not read input. */
  readonly main: MainProcess | undefined;
  /** The container's own process has ended. */
  exit(code: number): void;
  /** Adds whole lines to the container's log, without calling the listeners. */
  log(text: string): void;
  /** Calls `listener` with all later output of the container. */
  onLog(listener: (text: string) => void): void;
  /** Ends the calls and listeners of this stream. */
  release(): void;
}

/** A container's own process that reads input. */
export interface MainProcess {
  readonly argv: readonly string[];
  readonly tty: boolean;
  /** `true` if the input ends with the first client (`stdinOnce`). */
  readonly stdinOnce: boolean;
}
