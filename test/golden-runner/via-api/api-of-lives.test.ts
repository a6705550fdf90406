import { describe, expect, it } from 'vitest';
import { chooseApi } from './api-of-lives.ts';

describe('the API server through which lives are played', () => {
  const assets = { KUBEBUILDER_ASSETS: '/assets' };
  it.each([
    { what: 'a given one, whatever else there is', given: '/mine', env: assets, has: true, kind: 'given' },
    { what: 'a real one whose programs are named', given: undefined, env: assets, has: true, kind: 'real' },
    { what: 'a real one at the usual place', given: undefined, env: {}, has: true, kind: 'real' },
    { what: 'the embedded one', given: undefined, env: {}, has: false, kind: 'embedded' },
    { what: 'none where the named programs are missing', given: undefined, env: assets, has: false, kind: 'none' },
    {
      what: 'none where a named program is missing',
      given: undefined,
      env: { TEST_ASSET_ETCD: '/etcd' },
      has: false,
      kind: 'none',
    },
  ])('is $what', ({ given, env, has, kind }) => {
    expect(chooseApi(given, env, () => has)).toMatchObject({ kind });
  });
});
