import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { jobThreads, LostJob, type JobName } from '../../../actors/job-pool/job-threads.ts';
import { systemClock } from '../../../src/actor/clock.ts';
import { silentLog } from '../../../src/actor/log.ts';
import { manualClock } from '../../support/manual-clock.ts';
import type { HostileInput } from './hostile-jobs.ts';

const file = join(import.meta.dirname, 'hostile-jobs.ts');
/** Far more than a thread takes to start here, and far less than the time of the test. */
const kind = { file, atOncePerThread: 1, withinMs: 4_000, heapMb: 64 };
const threads = jobThreads(
  {
    parseManifests: kind,
    parsePodList: kind,
    volumeOrders: { ...kind, atOncePerThread: 8 },
    // Filling a heap takes a while.
    walkPods: { ...kind, withinMs: 60_000, heapMb: 16 },
  },
  { clock: systemClock, log: silentLog },
);
afterAll(() => threads.close());

const run = (job: JobName, input: HostileInput): Promise<unknown> => threads.run(job, input);
const lossOf = (job: JobName, input: HostileInput): Promise<string> =>
  run(job, input).then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    (error: unknown) => (error instanceof LostJob ? `${error.loss}: ${error.message}` : String(error)),
  );

describe('a job that goes wrong', () => {
  it.each([
    { input: 'throw', says: 'failed: the job parseManifests failed: on purpose' },
    { input: 'never-end', says: 'too-long: the job parseManifests took longer than 4 s' },
    { input: 'never-yield', says: 'too-long: the job parseManifests took longer than 4 s' },
    { input: 'exit', says: 'failed: the job parseManifests failed: ' },
    { input: 'answer-a-function', says: 'failed: the job parseManifests failed: ' },
    { input: 'answer-beyond-the-sender', says: 'failed: the job parseManifests failed: ' },
    { input: 'answer-beyond-the-receiver', says: 'too-long: the job parseManifests took longer than 4 s' },
  ] as const)('settles its question, and the next job of its kind is done: $input', async ({ input, says }) => {
    expect(await lossOf('parseManifests', input)).toContain(says);
    expect(await run('parseManifests', 'answer')).toBe('an answer');
  });

  it('fails its question when it exceeds its memory limit', async () => {
    expect(await lossOf('walkPods', 'exhaust-heap')).toMatch(/^failed: the job walkPods failed: .*memory/);
    expect(await run('walkPods', 'answer')).toBe('an answer');
  }, 70_000);

  it('does not affect jobs of other kinds', async () => {
    const stuck = lossOf('parsePodList', 'never-yield');
    expect(await run('walkPods', 'answer')).toBe('an answer');
    expect(await stuck).toContain('too-long');
  });

  it('loses the other jobs of its thread, which are not blamed', async () => {
    const stuck = lossOf('volumeOrders', 'never-end');
    // Under way before the time of the first is up, and not over by then.
    const beside = systemClock.monotonic() + 1_000;
    while (systemClock.monotonic() < beside) await run('volumeOrders', 'answer');
    const other = lossOf('volumeOrders', 'never-end');
    expect(await stuck).toContain('too-long');
    expect(await other).toMatch(/^not-run: the job volumeOrders was not run: /);
    expect(await run('volumeOrders', 'answer')).toBe('an answer');
  });
});

describe('a job thread that waits for the kernel', () => {
  it('is abandoned in time, and ends only when the kernel releases it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hivelet-jobs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const clock = manualClock();
    const jobs = jobThreads(
      { parseManifests: kind, parsePodList: kind, volumeOrders: kind, walkPods: kind },
      { clock, log: silentLog },
    );
    const lost = jobs.run('parseManifests', { pipe } satisfies HostileInput).catch((error: unknown) => error);
    // The pipe opens for its writer once the job has opened it.
    const writer = await open(pipe, 'w');
    await jobs.ended();
    clock.advance(kind.withinMs);
    expect(await lost).toMatchObject({ loss: 'too-long' });
    expect(await jobs.run('parseManifests', 'answer' satisfies HostileInput)).toBe('an answer');
    let hasEnded = false;
    const ended = jobs.ended().then(() => (hasEnded = true));
    await jobs.close();
    expect(hasEnded).toBe(false);
    await writer.close();
    await ended;
  });
});
