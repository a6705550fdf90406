import { PassThrough, Writable } from 'node:stream';
import type { ContainerConfig } from '../../../cri/gen/api.ts';
import type { Clock } from '../../../actor/clock.ts';
import type { CommandChannels, CommandStatus, TerminalSize } from './command-channels.ts';
import type { ContainerPlace, MainProcess } from './container-place.ts';
import { DEFAULT_SIZE, INTERRUPTED, untilShown } from './run-in-container.ts';
import { runCommand } from './simulated-commands.ts';
import { terminalOver } from './terminal.ts';

const SHELLS = ['sh', 'bash', 'ash'];

/**
 * Returns a container's main process if an attached client can talk to it: a shell without a script, or `cat`.
 * Containers with stdin and no command have a shell. `undefined` for other commands, which only keep running.
 */
export function interactiveMain({ stdin, stdinOnce, tty, command, args }: ContainerConfig): MainProcess | undefined {
  const [path = 'sh', ...options] = [...command, ...args];
  const name = path.replace(/^(\/usr)?\/bin\//, '');
  const isShell = SHELLS.includes(name) && options.every((each) => /^-[il]$/.test(each));
  const talks = stdin && (isShell || (name === 'cat' && options.length === 0));
  return talks ? { argv: [name], tty, stdinOnce } : undefined;
}

/**
 * The process of a container with an input. It starts with the first client and survives it; when the process ends,
 * so does the container. Its output goes to all attached clients and to the container's log.
 */
export class InteractiveProcess {
  readonly #input = new PassThrough();
  readonly #clients = new Set<CommandChannels>();
  readonly #place: ContainerPlace;
  readonly #main: MainProcess;
  /** Resolves when the process has ended and its clients have all of its output. */
  readonly ended: Promise<void>;
  #size: TerminalSize = DEFAULT_SIZE;

  constructor(place: ContainerPlace, main: MainProcess, clock: Clock) {
    this.#place = place;
    this.#main = main;
    this.#input.on('error', () => {});
    // One turn later: the first client receives the first output.
    this.ended = Promise.resolve().then(() => this.#run(clock));
  }

  /** Serves a client until it disconnects or the process ends. The container reports how the process ended. */
  async attach(channels: CommandChannels): Promise<CommandStatus> {
    this.#clients.add(channels);
    channels.onResize((size) => (this.#size = size));
    channels.stdin?.on('error', () => {}).pipe(this.#input, { end: this.#main.stdinOnce });
    await Promise.race([this.ended, new Promise((resolve) => channels.gone.addEventListener('abort', resolve))]);
    channels.stdin?.unpipe(this.#input);
    this.#clients.delete(channels);
    return { type: 'exited', code: 0 };
  }

  async #run(clock: Clock): Promise<void> {
    const { argv, tty } = this.#main;
    const output = this.#output();
    const interrupted = new AbortController();
    const terminal = tty ? terminalOver(this.#input, output, () => interrupted.abort()) : undefined;
    const stdout = terminal?.stdout ?? output;
    const code = await runCommand(argv, {
      stdin: terminal?.stdin ?? this.#input,
      stdout,
      stderr: stdout,
      env: this.#place.env,
      hostname: this.#place.hostname,
      clock,
      terminal: tty ? () => this.#size : undefined,
      signal: AbortSignal.any([this.#place.ended, interrupted.signal]),
    });
    if (terminal !== undefined) await untilShown(stdout);
    await new Promise<void>((resolve) => output.end(resolve));
    this.#place.exit(interrupted.signal.aborted ? INTERRUPTED : code);
    this.#place.release();
  }

  /** Output is as slow as the slowest attached client. */
  async #shown(piece: Buffer, done: () => void): Promise<void> {
    const taken = [...this.#clients].map(
      ({ stdout, gone }) =>
        new Promise<void>((resolve) => {
          if (gone.aborted) return resolve();
          gone.addEventListener('abort', () => resolve(), { once: true });
          stdout.write(piece, () => resolve());
        }),
    );
    await Promise.all(taken);
    done();
  }

  #output(): Writable {
    let line = Buffer.alloc(0);
    const log = (text: Buffer): void => {
      if (text.length > 0) this.#place.log(text.toString());
    };
    return new Writable({
      write: (piece: Buffer, _encoding, done) => {
        line = Buffer.concat([line, piece]);
        const whole = line.lastIndexOf(0x0a) + 1;
        log(line.subarray(0, whole));
        line = line.subarray(whole);
        void this.#shown(piece, done);
      },
      final: (done) => {
        log(line);
        done();
      },
    });
  }
}
