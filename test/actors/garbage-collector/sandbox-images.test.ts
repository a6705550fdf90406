import { describe, expect, it } from 'vitest';
import { sandboxImages } from '../../../actors/garbage-collector/sandbox-images.ts';

describe('the sandbox images of a runtime', () => {
  it.each([
    { info: { config: '{"sandboxImage":"registry.local/pause:1","other":1}' }, images: ['registry.local/pause:1'] },
    { info: { config: '{"pinnedImages":{"sandbox":"registry.local/pause:2"}}' }, images: ['registry.local/pause:2'] },
    { info: { config: '{"sandboxImage":7,"pinnedImages":"no"}' }, images: [] },
    { info: { config: 'not JSON' }, images: [] },
    { info: { config: 'null' }, images: [] },
    { info: {}, images: [] },
  ])('are $images by $info', ({ info, images }) => {
    expect(sandboxImages(info)).toEqual(images);
  });
});
