import { describe, expect, it } from 'vitest';
import { sparingly } from '../../src/serving/sparing-warnings.ts';
import { manualClock } from '../support/manual-clock.ts';

const written = () => {
  const clock = manualClock();
  const lines: (readonly [object, string])[] = [];
  return { clock, lines, warn: sparingly((facts, text) => void lines.push([facts, text]), clock) };
};

describe('warnings about clients', () => {
  it('shorten texts from outside', () => {
    const { warn, lines } = written();
    warn({ problem: 'x'.repeat(3_000_000), attempts: 3 }, 'a text');
    expect(lines).toEqual([[{ problem: `${'x'.repeat(1024)}… (2998976 more characters)`, attempts: 3 }, 'a text']]);
  });

  it('of one text are logged once a second, with the number of dropped ones', () => {
    const { warn, lines, clock } = written();
    for (let count = 0; count < 4_000; count++) warn({ count }, 'a text');
    warn({}, 'another text');
    clock.advance(1_000);
    warn({}, 'a text');
    expect(lines).toEqual([
      [{ count: 0 }, 'a text'],
      [{}, 'another text'],
      [{ leftOut: 3_999 }, 'a text'],
    ]);
  });
});
