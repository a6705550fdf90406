import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { podThreadNames, treeOf, type Profile } from '../../actors/tree.ts';
import { faultCodes } from '../../src/actor/fault.ts';
import { criFaultCodes } from '../../src/cri/fault.ts';

const document = readFileSync(resolve(import.meta.dirname, '../../ARCHITECTURE.md'), 'utf8');

/** The supervision tree of a profile as ARCHITECTURE.md shows it. */
function drawing(profile: Profile): string {
  const tree = treeOf(profile);
  const threads = [
    { name: 'main', actors: tree.main.map(({ address }) => address) },
    ...tree.threads.map(({ name, actors }) => ({
      name,
      actors: podThreadNames(tree).includes(name) ? ['pod-worker/<uid> …'] : actors.map(({ address }) => address),
    })),
  ];
  const lines = threads.map(({ name, actors }, index) => {
    const branch = index === threads.length - 1 ? '└─' : '├─';
    return `${branch} ${name.padEnd(7)} ${actors.join(' → ')}`.trimEnd();
  });
  return ['root', ...lines].join('\n');
}

describe('ARCHITECTURE.md', () => {
  it.each(['standard', 'compact'] as const)('draws the supervision tree of the %s profile as it is', (profile) => {
    expect(document).toContain(drawing(profile));
  });

  it('documents every fault code of a question between actors, and no other', () => {
    const section = document.slice(document.indexOf('## Faults'), document.indexOf('## The house'));
    const documented = [...section.matchAll(/^\| `([a-z-]+)`\s*\|/gm)].map((match) => match[1]);
    expect(documented).toEqual([...faultCodes]);
  });

  it('names the fault that only this agent adds to those of the runtime', () => {
    expect(criFaultCodes).toContain('INTERRUPTED');
    expect(document).toContain('`INTERRUPTED`');
  });
});
