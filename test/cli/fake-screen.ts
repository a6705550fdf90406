import type { LiveScreen } from '../../src/cli/terminal/live-screen.ts';

/** Records its drawings and the lines printed above them. */
export function fakeScreen() {
  const drawn: (readonly string[])[] = [];
  const said: (readonly string[])[] = [];
  let over = false;
  const screen: LiveScreen = {
    draw: (lines) => void drawn.push(lines),
    say: (lines) => void said.push(lines),
    done: () => void (over = true),
  };
  return { ...screen, drawn, said, isDone: () => over };
}
