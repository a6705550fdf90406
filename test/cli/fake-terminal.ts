import type { Terminal } from '../../src/cli/terminal/terminal.ts';

export interface FakeTerminal extends Terminal {
  readonly written: string[];
  readonly complaints: string[];
}

/** Records its output. */
export function fakeTerminal(more: Partial<Terminal> = {}): FakeTerminal {
  const written: string[] = [];
  const complaints: string[] = [];
  return {
    written,
    complaints,
    write: (text) => void written.push(text),
    complain: (text) => void complaints.push(text),
    isLive: false,
    columns: () => 80,
    rows: () => 24,
    onKey: () => () => {},
    ...more,
  };
}
