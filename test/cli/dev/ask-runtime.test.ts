import { describe, expect, it } from 'vitest';
import { askRuntime } from '../../../src/cli/dev/ask-runtime.ts';

describe('a runtime endpoint that cannot be used', () => {
  it.each([
    { endpoint: '', why: /no address of a socket/ },
    { endpoint: 'tcp://[', why: /no address of a socket|does not answer/ },
    { endpoint: 'unix:///nonexistent/runtime.sock', why: /there is no such socket/ },
  ])('is refused with a reason: $endpoint', async ({ endpoint, why }) => {
    expect(await askRuntime(endpoint)).toMatchObject({ usable: false, why: expect.stringMatching(why) });
  });
});
