import { describe, expect, it } from 'vitest';
import { readLogOptions } from '../../../src/serving/logs/container-log-options.ts';

const NOW = Date.UTC(2026, 0, 1);
const read = (query: string) => readLogOptions(new URLSearchParams(query), NOW);

describe('the query of a log request', () => {
  it('requests the whole log by default', () => {
    expect(read('')).toEqual({
      ok: true,
      options: {
        follow: false,
        previous: false,
        timestamps: false,
        since: undefined,
        tailLines: undefined,
        limitBytes: undefined,
        stream: 'All',
      },
    });
  });

  it.each([
    ['follow=true', { follow: true }],
    ['follow=1&previous=true&timestamps=true', { follow: true, previous: true, timestamps: true }],
    ['tailLines=10', { tailLines: 10 }],
    ['tail=10', { tailLines: 10 }],
    ['tail=all&tailLines=10', { tailLines: undefined }],
    ['limitBytes=7', { limitBytes: 7 }],
    ['sinceSeconds=60', { since: NOW - 60_000 }],
    ['sinceTime=2025-12-31T23:00:00Z', { since: NOW - 3_600_000 }],
    ['stream=Stderr', { stream: 'Stderr' }],
  ])('%s', (query, options) => {
    expect(read(query)).toMatchObject({ ok: true, options });
  });

  it.each([
    ['follow=perhaps', 400, 'follow'],
    ['tailLines=ten', 400, 'tailLines'],
    ['sinceTime=yesterday', 400, 'sinceTime'],
    ['tailLines=-1', 422, 'tailLines'],
    ['limitBytes=0', 422, 'limitBytes'],
    ['sinceSeconds=0', 422, 'sinceSeconds'],
    ['sinceSeconds=1&sinceTime=2025-12-31T23:00:00Z', 422, 'at most one'],
    ['stream=Both', 422, 'stream'],
    ['stream=Stdout&tailLines=1', 422, 'tailLines'],
  ])('is refused: %s', (query, status, problem) => {
    expect(read(query)).toMatchObject({ ok: false, status, problem: expect.stringContaining(problem) as string });
  });
});
