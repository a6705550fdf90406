import { expect, it } from 'vitest';
import { criMethodNames } from '../../src/cri/method-names.ts';
import { criMethods } from '../../src/cri/methods.ts';

it('the names of the CRI methods equal those of their table', () => {
  expect(criMethodNames).toEqual(Object.keys(criMethods));
});
