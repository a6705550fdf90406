import { describe, expect, it } from 'vitest';

import { containerHash } from '../../../src/pod/values/container-hash.ts';

describe('the hash of a container definition', () => {
  // The hashes that a Go kubelet v1.36 wrote into the annotation of its containers.
  it.each([
    ['c', 'registry.example/ready/env-duplicates:v1', 'f3a1c72b'],
    ['c', 'registry.example/ready/automount-explicit:v1', 'b57d23f'],
    ['i1', 'registry.example/ready/init-order-exit0:v1', 'd0595aa8'],
    ['bare', 'registry.example/ready/resourcefield-defaults:v1', 'd9c323b'],
    ['c', 'registry.example/ready/vol-subpath-missing-key:v1', '6ab3dff'],
    ['latest', 'registry.example/ready/pull-policies-a:latest', '261506ef'],
  ])('%s from %s is %s', (name, image, hash) => {
    expect(containerHash({ name, image })).toBe(hash);
  });

  it('covers only name and image', () => {
    const plain = { name: 'c', image: 'i:1' };
    const more = { ...plain, command: ['sh'] };
    expect(containerHash(more)).toBe(containerHash(plain));
    expect(containerHash({ ...plain, image: 'i:2' })).not.toBe(containerHash(plain));
  });
});
