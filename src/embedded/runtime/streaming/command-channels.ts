import type { Readable, Writable } from 'node:stream';

/** A terminal's size, in characters. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

/** The streams of a command that a client wants. */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The streams of one command, whatever carries them to the client. */
export interface CommandChannels {
  /** `undefined` when the command gets no input. */
  readonly stdin: Readable | undefined;
  /** Accepts all output, even if the client does not want it. */
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Aborted when the client disconnects. */
  readonly gone: AbortSignal;
  /** Called for each size of the client's terminal, including the first. */
  onResize(listener: (size: TerminalSize) => void): void;
  /** Sends how the command ended, after all of its output, and closes. */
  finish(status: CommandStatus): void;
}

/** How a command ended, in the words of the API (metav1.Status). */
export type CommandStatus =
  { readonly type: 'exited'; readonly code: number } | { readonly type: 'failed'; readonly problem: string };

export function statusText(status: CommandStatus): string {
  if (status.type === 'failed') {
    const { problem: message } = status;
    return JSON.stringify({ metadata: {}, status: 'Failure', message, reason: 'InternalError', code: 500 });
  }
  if (status.code === 0) return JSON.stringify({ metadata: {}, status: 'Success' });
  return JSON.stringify({
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit code ${status.code}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(status.code) }] },
  });
}

/** Reads `{"Width":80,"Height":24}`. `undefined` for anything else. */
export function parseSize(text: string): TerminalSize | undefined {
  try {
    // Both members are checked below.
    const { Width: width, Height: height } = JSON.parse(text) as {
      readonly Width?: unknown;
      readonly Height?: unknown;
    };
    return typeof width === 'number' && typeof height === 'number' ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}
