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
 * What a container runs, if somebody who attaches can talk to it: a shell without a script, or `cat`; also where only the image
 * would say what is run, for containers that are asked for with an input have a shell. All else simulates nothing but running on.
 */
export function interactiveMain({ stdin, stdinOnce, tty, command, args }: ContainerConfig): MainProcess | undefined {
  const [path = 'sh', ...options] = [...command, ...args];
  const name = path.replace(/^(\/usr)?\/bin\//, '');
  const isShell = SHELLS.includes(name) && options.every((each) => /^-[il]$/.test(each));
  const talks = stdin && (isShell || (name === 'cat' && options.length === 0));
  return talks ? { argv: [name], tty, stdinOnce } : undefined;
}

/**
 * The process of a container with an input. It begins with the first client, lives on when that leaves, and ends the container
 * as it ends itself. What it writes goes to all who are attached and into the container's log.
 */
export class InteractiveProcess {
  readonly #input = new PassThrough();
  readonly #clients = new Set<CommandChannels>();
  readonly #place: ContainerPlace;
  readonly #main: MainProcess;
  /** Resolves when the process has ended and all that it wrote is with its clients. */
  readonly ended: Promise<void>;
  #size: TerminalSize = DEFAULT_SIZE;

  constructor(place: ContainerPlace, main: MainProcess, clock: Clock) {
    this.#place = place;
    this.#main = main;
    this.#input.on('error', () => {});
    // A turn later: the client that it is begun for hears its first words.
    this.ended = Promise.resolve().then(() => this.#run(clock));
  }

  /** Serves a client until it leaves or the process ends. How the process ended is for the container to say. */
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

  /** No faster than the slowest of those who are there. */
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
