/** The output to the user, and the properties of its destination. The one place that touches the standard streams. */
export interface Terminal {
  /** Writes answers and tables. Takes whole lines, with their ends. */
  write(text: string): void;
  /** Writes problems and remarks. Takes whole lines, with their ends. */
  complain(text: string): void;
  /** `true` if output can be redrawn in place. */
  readonly isLive: boolean;
  columns(): number;
  rows(): number;
  /**
   * Calls `listener` for each key pressed, without echo, until the returned function is called. Never calls it without
   * a keyboard.
   */
  onKey(listener: (key: string) => void): () => void;
}

export const processTerminal: Terminal = {
  write: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
  isLive: process.stdout.isTTY && process.env['TERM'] !== 'dumb',
  columns: () => process.stdout.columns || 80,
  rows: () => process.stdout.rows || 24,
  onKey(listener) {
    const { stdin } = process;
    if (!stdin.isTTY) return () => {};
    const onData = (text: string): void => {
      for (const key of text) listener(key);
    };
    stdin.setRawMode(true).setEncoding('utf8').on('data', onData).resume();
    return () => void stdin.off('data', onData).setRawMode(false).pause();
  },
};
