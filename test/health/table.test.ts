import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dutiesInSource } from './duties-in-source.ts';

const ROOT = join(import.meta.dirname, '../..');
const readme = readFileSync(join(ROOT, 'src/health/README.md'), 'utf8');
const reasons = JSON.parse(readFileSync(join(ROOT, 'test/golden/events/reasons.json'), 'utf8')) as {
  readonly events: readonly string[];
};

interface Row {
  readonly work: string;
  readonly actor: string;
  readonly stuckBy: string;
  readonly reported: string;
  readonly besides: string;
}

const rows: readonly Row[] = readme
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('| `'))
  .map((line) => {
    const [work = '', actor = '', stuckBy = '', reported = '', besides = ''] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return { work: work.replaceAll('`', ''), actor: actor.replaceAll('`', ''), stuckBy, reported, besides };
  });

describe('the table of duties that can be stuck', () => {
  it('has each duty of the source once, and no other', () => {
    const named = rows.map(({ actor, work }) => `${actor}: ${work}`);
    expect(named.toSorted()).toEqual(dutiesInSource.map(({ actor, work }) => `${actor}: ${work}`).toSorted());
  });

  it.each(rows)('$actor, $work: has the way and the time', ({ stuckBy, reported }) => {
    expect(stuckBy).toMatch(/^(an? |no |unreadable)/);
    expect(reported).toMatch(/^(\d+ s|at once)/);
  });

  it.each(rows)('$actor, $work: names events that a kubelet has', ({ besides }) => {
    const events = Array.from(besides.matchAll(/`([A-Z]\w+)`/g), ([, name = '']) => name);
    expect(events.filter((name) => !reasons.events.includes(name))).toEqual([]);
  });

  it('has Ready as False at once for the duties that keep the node from being ready, and for no others', () => {
    const atOnce = rows.filter(({ besides }) => besides.includes('Ready is False at once'));
    const inSource = dutiesInSource.filter(({ keepsNodeFromReady }) => keepsNodeFromReady);
    expect(atOnce.map(({ work }) => work)).toEqual(inSource.map(({ work }) => work));
  });
});
