import { describe, expect, it } from 'vitest';
import { JobPool } from '../../../actors/job-pool/actor.ts';

const question = { type: 'parse-manifests', files: [{ path: '/a', nodeName: 'node' }] } as const;

describe('the job pool', () => {
  it('runs a job and returns its answer', async () => {
    const jobs: unknown[] = [];
    const pool = new JobPool({
      run: async (job, input) => {
        jobs.push([job, input]);
        return ['parsed'];
      },
      threads: () => [],
      close: async () => {},
      ended: async () => {},
    });
    expect(await pool.ask(question)).toEqual({ ok: true, value: ['parsed'] });
    expect(jobs).toEqual([['parseManifests', question.files]]);
  });

  it('reports a lost job, and continues', async () => {
    let times = 0;
    const pool = new JobPool({
      run: async () => {
        times += 1;
        if (times === 1) throw new Error('the thread ended');
        return [];
      },
      threads: () => [],
      close: async () => {},
      ended: async () => {},
    });
    expect(await pool.ask(question)).toEqual({ ok: false, loss: 'failed', problem: 'the thread ended' });
    expect(await pool.ask(question)).toEqual({ ok: true, value: [] });
  });
});
