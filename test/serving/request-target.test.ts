import { describe, expect, it } from 'vitest';
import { splitTarget } from '../../src/kube/text/split-target.ts';
import { LONGEST_TARGET, readTarget } from '../../src/serving/request-target.ts';

describe('the target of a request', () => {
  it.each([
    ['/pods', { ok: true, path: '/pods', query: '' }],
    ['/pods?', { ok: true, path: '/pods', query: '' }],
    ['/run/a/b/c?cmd=a?b', { ok: true, path: '/run/a/b/c', query: 'cmd=a?b' }],
    ['//pods?x=1', { ok: true, path: '//pods', query: 'x=1' }],
    ['/%2e%2e/%zz', { ok: true, path: '/%2e%2e/%zz', query: '' }],
    ['http://n1:10250/pods?x=/y', { ok: true, path: '/pods', query: 'x=/y' }],
    ['HTTPS://n1', { ok: true, path: '/', query: '' }],
    ['https://n1?x=/pods', { ok: true, path: '/', query: 'x=/pods' }],
    ['*', { ok: false, status: 400 }],
    ['pods', { ok: false, status: 400 }],
    ['', { ok: false, status: 400 }],
    ['ftp://n1/pods', { ok: false, status: 400 }],
    [`/${'a'.repeat(LONGEST_TARGET)}`, { ok: false, status: 414 }],
  ])('%.40s', (target, read) => {
    expect(readTarget(target)).toMatchObject(read);
  });

  it.each([
    ['/a', { path: '/a', query: '' }],
    ['/a?b?c', { path: '/a', query: 'b?c' }],
    ['?', { path: '', query: '' }],
    ['', { path: '', query: '' }],
  ])('is split at its first question mark: %s', (target, split) => {
    expect(splitTarget(target)).toEqual(split);
  });
});
