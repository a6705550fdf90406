import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';

type Choice =
  | { readonly type: 'run-here' }
  | { readonly type: 'run-with'; readonly node: string }
  | { readonly type: 'refuse'; readonly message: string };

// A script for old versions of Node, which therefore is no module.
const { chooseNode } = createRequire(import.meta.url)('../../src/bin/hivelet.cjs') as {
  chooseNode: (version: string, broughtNode: string | undefined, again: boolean) => Choice;
};

describe('the Node that runs hivelet', () => {
  it.each(['24.0.0', '26.12.1', '100.0.0'])('is the installed Node if new enough: %s', (version) => {
    expect(chooseNode(version, '/brought/node', false)).toEqual({ type: 'run-here' });
  });

  it.each(['12.22.0', '20.20.2', '23.11.1'])('is the bundled Node if %s is installed', (version) => {
    expect(chooseNode(version, '/brought/node', false)).toEqual({ type: 'run-with', node: '/brought/node' });
  });

  it('cannot be found if the installed Node is too old and none is bundled', () => {
    expect(chooseNode('20.20.2', undefined, false)).toMatchObject({
      type: 'refuse',
      message: expect.stringContaining('needs Node 24 or newer, and this is Node 20.20.2'),
    });
  });

  it('is not searched twice', () => {
    expect(chooseNode('20.20.2', '/brought/node', true)).toMatchObject({ type: 'refuse' });
  });
});
