import { describe, expect, it } from 'vitest';
import { ChangedNames, replaced } from '../../../actors/pod-source-file/changed-names.ts';

const changes = (...names: readonly string[]): ChangedNames => {
  const changed = new ChangedNames();
  for (const name of names) changed.note(name.replace('!', ''), name.startsWith('!') ? 'entry' : 'content');
  return changed;
};

describe('a file that a look finds', () => {
  it.each([
    { which: 'whose content was written', before: ['a', 'a'], since: ['a'], isReplaced: false },
    { which: 'that took the place of another', before: ['!a', 'a'], since: [], isReplaced: false },
    { which: 'that went and came back', before: ['!a', '!a'], since: [], isReplaced: true },
    { which: 'that came back while the look was under way', before: ['!a'], since: ['!a'], isReplaced: true },
    { which: 'beside another that went and came back', before: ['!b', '!b', 'a'], since: [], isReplaced: false },
  ])('$which counts as removed and added: $isReplaced', ({ before, since, isReplaced }) => {
    expect(replaced(['/pods/a'], changes(...before), changes(...since))).toEqual(isReplaced ? ['/pods/a'] : []);
  });

  it('counts as removed and added once', () => {
    const since = changes('!a');
    expect(replaced(['/pods/a'], changes('!a'), since)).toEqual(['/pods/a']);
    expect(replaced(['/pods/a'], since, changes())).toEqual([]);
  });
});
