import { describe, expect, it } from 'vitest';
import { groupLives, type Life } from './group-lives.ts';

const life = (name: string, calls: readonly string[] = [], kubelet: object = {}): Life => ({
  name,
  kubelet: kubelet as Life['kubelet'],
  actions: name.startsWith('kill') ? [{ kubelet: 'kill' }, { kubelet: 'start' }] : [],
  expected: { calls: { [name]: calls } },
});

const namesOf = (lives: readonly Life[]): readonly (readonly string[])[] =>
  groupLives(lives).map(([, group]) => group.map(({ name }) => name));

describe('scenarios that one agent plays', () => {
  it('share one configuration', () => {
    expect(namesOf([life('a'), life('b', [], { syncFrequency: '1s' }), life('c')])).toEqual([['a', 'c'], ['b']]);
  });

  it('without a kill are not disturbed by one', () => {
    expect(namesOf([life('kill-1'), life('a'), life('kill-2'), life('b')])).toEqual([
      ['a', 'b'],
      ['kill-1', 'kill-2'],
    ]);
  });

  it('with a kill are at most as many as are played at once', () => {
    const six = [1, 2, 3, 4, 5, 6].map((each) => life(`kill-${each}`));
    expect(namesOf(six)).toEqual([
      ['kill-1', 'kill-3', 'kill-5'],
      ['kill-2', 'kill-4', 'kill-6'],
    ]);
  });

  it('exclude a scenario whose kill cannot wait for others', () => {
    const cut = life('kill-in-a-call', ['StopContainer main#0 grace=12 !cancelled']);
    expect(namesOf([cut, life('kill-1'), life('kill-2')])).toEqual([['kill-1', 'kill-2'], ['kill-in-a-call']]);
    expect(namesOf([cut])).toEqual([['kill-in-a-call']]);
  });

  it('have different group names', () => {
    const names = groupLives([life('kill-1'), life('kill-2', ['PullImage a !cancelled']), life('b', [], { a: 1 })]).map(
      ([name]) => name,
    );
    expect(new Set(names).size).toBe(3);
  });
});
