import { type Readable, Writable } from 'node:stream';
import type { Clock } from '../../../actor/clock.ts';
import { own } from '../../../kube/text/own.ts';
import type { TerminalSize } from './command-channels.ts';
import { parseShell, ShellSyntaxError, type ShellWord, type Target } from './shell-steps.ts';

/** The environment of a simulated command. */
export interface CommandWorld {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: ReadonlyMap<string, string>;
  readonly hostname: string;
  readonly clock: Clock;
  /** `undefined` when there is no terminal. */
  readonly terminal: (() => TerminalSize) | undefined;
  /** Aborted when the command must end, whatever it is doing. */
  readonly signal: AbortSignal;
}

type Command = (args: readonly string[], world: CommandWorld) => number | Promise<number>;

const KILLED = 137;

/** Resolves when the bytes are taken, so a command is never faster than its reader. */
const write = (stream: Writable, data: Buffer | string): Promise<void> =>
  new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) return resolve();
    stream.write(data, () => resolve());
  });

const say = async (stream: Writable, text: string, code: number): Promise<number> => {
  await write(stream, text);
  return code;
};

const commands: Readonly<Record<string, Command>> = {
  ':': () => 0,
  true: () => 0,
  false: () => 1,
  async echo(args, { stdout }) {
    const [first, ...others] = args;
    return first === '-n' ? say(stdout, others.join(' '), 0) : say(stdout, `${args.join(' ')}\n`, 0);
  },
  printf: ([format = '', ...values], { stdout }) => {
    const left = [...values];
    const text = format
      .replaceAll(/%[sd]/g, () => left.shift() ?? '')
      .replaceAll(/\\[nt\\]/g, (each) => (each === '\\n' ? '\n' : each === '\\t' ? '\t' : '\\'));
    return say(stdout, text, 0);
  },
  async cat([file], { stdin, stdout, stderr }) {
    if (file !== undefined && file !== '-')
      return say(stderr, `cat: can't open '${file}': No such file or directory\n`, 1);
    // A stream without an encoding yields buffers.
    for await (const piece of stdin ?? []) await write(stdout, piece as Buffer);
    return 0;
  },
  async wc([option], { stdin, stdout, stderr }) {
    if (option !== '-c') return say(stderr, 'wc: this runtime counts bytes only (-c)\n', 1);
    let count = 0;
    // A stream without an encoding yields buffers.
    for await (const piece of stdin ?? []) count += (piece as Buffer).length;
    return say(stdout, `${count}\n`, 0);
  },
  async sleep([seconds = ''], { clock, signal, stderr }) {
    if (!/^\d+(\.\d+)?$/.test(seconds)) return say(stderr, `sleep: invalid number '${seconds}'\n`, 1);
    await new Promise<void>((resolve) => {
      const cancel = clock.after(Number(seconds) * 1_000, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
    return 0;
  },
  pwd: (_, { stdout }) => say(stdout, '/\n', 0),
  hostname: (_, { stdout, hostname }) => say(stdout, `${hostname}\n`, 0),
  whoami: (_, { stdout }) => say(stdout, 'root\n', 0),
  env: (_, { stdout, env }) => say(stdout, [...env].map(([name, value]) => `${name}=${value}\n`).join(''), 0),
  tty: (_, { stdout, terminal }) => (terminal ? say(stdout, '/dev/pts/0\n', 0) : say(stdout, 'not a tty\n', 1)),
  async stty([what], { stdout, stderr, terminal }) {
    if (terminal === undefined) return say(stderr, 'stty: standard input: Not a tty\n', 1);
    if (what !== 'size') return say(stderr, 'stty: this runtime knows of the size only\n', 1);
    const { width, height } = terminal();
    return say(stdout, `${height} ${width}\n`, 0);
  },
};

/** The commands of this runtime. */
export const commandNames: readonly string[] = [...Object.keys(commands), 'exit', 'sh'];

/** Runs a command to its end; resolves with its exit code. These containers have no programs but these few. */
export async function runCommand(argv: readonly string[], world: CommandWorld): Promise<number> {
  const [path = '', ...args] = argv;
  const name = path.replace(/^(\/usr)?\/bin\//, '');
  const ended = new Promise<number>((resolve) => {
    if (world.signal.aborted) resolve(KILLED);
    world.signal.addEventListener('abort', () => resolve(KILLED));
  });
  const command = ['sh', 'bash', 'ash'].includes(name) ? shell : own(commands, name);
  if (command === undefined) {
    const known = commandNames.filter((each) => /^\w+$/.test(each)).join(', ');
    return say(
      world.stderr,
      `exec: "${path}": not found; the containers of this runtime are simulated and have: ${known}\n`,
      127,
    );
  }
  return Promise.race([ended, command(args, world)]);
}

const shell: Command = async (args, world) => {
  const [option, text] = args;
  if (option === '-c') return runLine(text ?? '', world).then(({ code }) => code);
  let code = 0;
  const prompt = (): Promise<void> => (world.terminal ? write(world.stdout, '/ # ') : Promise.resolve());
  await prompt();
  let pending = '';
  for await (const piece of world.stdin ?? []) {
    // A stream without an encoding yields buffers.
    pending += (piece as Buffer).toString();
    for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n')) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 1);
      // Input typed meanwhile belongs to the next line: commands of an interactive shell have no input of their
      // own.
      const done = await runLine(line, { ...world, stdin: undefined }, code);
      code = done.code;
      if (done.isOver) return code;
      await prompt();
    }
  }
  return code;
};

async function runLine(text: string, world: CommandWorld, before = 0): Promise<{ code: number; isOver: boolean }> {
  let code = before;
  try {
    for (const { when, words, stdout, stderr } of parseShell(text)) {
      if (world.signal.aborted) return { code: KILLED, isOver: true };
      if ((when === 'after-success' && code !== 0) || (when === 'after-failure' && code === 0)) continue;
      const argv = words
        .map((word) => expanded(word, world.env, code))
        .filter((word, index) => word !== '' || hasQuotes(words[index]));
      const [name, status] = argv;
      if (name === undefined) continue;
      if (name === 'exit') return { code: status === undefined ? code : Number(status) & 0xff, isOver: true };
      const to: Readonly<Record<Target, Writable>> = { stdout: world.stdout, stderr: world.stderr, nowhere: nowhere() };
      const inner = { ...world, stdout: to[stdout], stderr: to[stderr] };
      if (own(commands, name.replace(/^(\/usr)?\/bin\//, '')) === undefined && !/(^|\/)(sh|bash|ash)$/.test(name)) {
        code = await say(inner.stderr, `sh: ${name}: not found\n`, 127);
      } else code = await runCommand(argv, inner);
    }
    return { code, isOver: false };
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error;
    return { code: await say(world.stderr, `sh: ${error.message}\n`, 2), isOver: false };
  }
}

const nowhere = (): Writable => new Writable({ write: (_piece, _encoding, done) => done() });

const hasQuotes = (word: ShellWord | undefined): boolean => word?.includes('') === true;

const expanded = (word: ShellWord, env: CommandWorld['env'], code: number): string =>
  word
    .map((part) =>
      typeof part === 'string' ? part : part.variable === '?' ? String(code) : (env.get(part.variable) ?? ''),
    )
    .join('');
