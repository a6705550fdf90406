/** The wanted streams of a command. */
export interface StreamOptions {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export type ReadStreamOptions =
  { readonly ok: true; readonly options: StreamOptions } | { readonly ok: false; readonly problem: string };

const isOn = (query: URLSearchParams, name: string): boolean => {
  const text = query.get(name);
  return text === '1' || text === 'true';
};

/** Reads `input`, `output`, `error` and `tty`. A terminal has no separate error stream, so `tty` drops `error`. */
export function readStreamOptions(query: URLSearchParams): ReadStreamOptions {
  const tty = isOn(query, 'tty');
  const stdin = isOn(query, 'input');
  const stdout = isOn(query, 'output');
  const stderr = isOn(query, 'error') && !tty;
  if (!stdin && !stdout && !stderr) {
    return { ok: false, problem: 'you must specify at least 1 of stdin, stdout, stderr' };
  }
  return { ok: true, options: { stdin, stdout, stderr, tty } };
}
