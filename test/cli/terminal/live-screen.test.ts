import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { liveScreen } from '../../../src/cli/terminal/live-screen.ts';
import { fakeTerminal } from '../fake-terminal.ts';

/** Back up to what was drawn before. */
const UP = '\u001b[1A';

describe('a live screen', () => {
  it('redraws in place', () => {
    const terminal = fakeTerminal({ isLive: true });
    const screen = liveScreen(terminal);
    screen.draw(['a', 'b']);
    const before = terminal.written.length;
    screen.draw(['a', 'c']);
    const after = terminal.written.slice(before).join('');
    expect(stripVTControlCharacters(terminal.written.slice(0, before).join(''))).toBe('a\nb\n');
    expect(after).toContain('\u001b[');
    expect(stripVTControlCharacters(after)).toContain('c');
  });

  it('keeps printed lines above the drawn ones', () => {
    const terminal = fakeTerminal({ isLive: true });
    const screen = liveScreen(terminal);
    screen.draw(['table']);
    const before = terminal.written.length;
    screen.say(['stays']);
    screen.draw(['table again']);
    const after = terminal.written.slice(before).join('');
    expect(after).toContain(UP);
    expect(stripVTControlCharacters(after)).toMatch(/stays\n[^]*table again\n/);
  });
});
