import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { podThreadNames, type ApiUse, type Profile } from '../../src/agent/tree.ts';
import { treeOf } from '../../actors/tree.ts';
import { isSupervisor, type TreeSpec } from '../../src/actor/child.ts';
import { faultCodes } from '../../src/actor/fault.ts';
import { criFaultCodes } from '../../src/cri/fault.ts';

const document = readFileSync(resolve(import.meta.dirname, '../../ARCHITECTURE.md'), 'utf8');

/** Children in order of start; a supervisor as `name: strategy [its children]`. */
const drawn = (children: readonly TreeSpec[]): string =>
  children
    .map((spec) => (isSupervisor(spec) ? `${spec.name}: ${spec.strategy} [${drawn(spec.children)}]` : spec.address))
    .join(' → ');

/** The supervision tree of a profile as ARCHITECTURE.md shows it. */
function drawing(profile: Profile): string {
  const tree = treeOf(profile, { api: 'api', serves: true });
  const threads = [
    { name: 'main', children: drawn(tree.main) },
    ...tree.threads.map(({ name, children }) => ({
      name,
      children: podThreadNames(tree).includes(name) ? 'pod-worker/<uid> …' : drawn(children),
    })),
  ];
  const lines = threads.map(({ name, children }, index) => {
    const branch = index === threads.length - 1 ? '└─' : '├─';
    return `${branch} ${name.padEnd(7)} ${children}`.trimEnd();
  });
  return ['root', ...lines].join('\n');
}

describe('ARCHITECTURE.md', () => {
  it.each(['standard', 'compact'] as const)('draws the supervision tree of the %s profile as it is', (profile) => {
    expect(document).toContain(drawing(profile));
  });

  it('names the actors that an agent without an API server does not have', () => {
    const actorsOf = (api: ApiUse) =>
      treeOf('standard', { api, serves: api === 'api' }).threads.flatMap(({ actors }) =>
        actors.map(({ address }) => address),
      );
    const alone = actorsOf('standalone');
    const missing = actorsOf('api').filter((address) => !alone.includes(address));
    expect(document).toContain(`Without an API server there is no ${missing.map((name) => `\`${name}\``).join(', ')}.`);
  });

  it('documents every fault code of a question between actors, and no other', () => {
    const section = document.slice(document.indexOf('## Faults'), document.indexOf('## The house'));
    const documented = [...section.matchAll(/^\| `([a-z-]+)`\s*\|/gm)].map((match) => match[1]);
    expect(documented).toEqual([...faultCodes]);
  });

  it.each(['INTERRUPTED', 'NOT_MADE'])('names %s, which only this agent adds to the faults of the runtime', (code) => {
    expect(criFaultCodes).toContain(code);
    expect(document).toContain(`\`${code}\``);
  });
});
