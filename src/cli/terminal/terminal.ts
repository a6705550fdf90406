/** The words that go to the person, and what is known of where they go. The one place that touches the standard streams. */
export interface Terminal {
  /** Answers and tables. Takes whole lines, with their ends. */
  write(text: string): void;
  /** Troubles and remarks. Takes whole lines, with their ends. */
  complain(text: string): void;
  /** Whether what is written can be drawn over. */
  readonly isLive: boolean;
  columns(): number;
  rows(): number;
  /** Tells of each key that is pressed, unechoed, until the returned function is called. Without a keyboard, of none. */
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
