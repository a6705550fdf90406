import { describe, expect, it } from 'vitest';
import { holdOwnProcess, openFilesIn, type OwnProcess } from '../../../src/host/process/own-process.ts';

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             63421                63421                processes
Max open files            20000                524288               files
Max locked memory         8388608              unlimited            bytes
`;

interface Given {
  readonly score?: string;
  readonly limits?: string;
  readonly writeFails?: string;
  readonly prlimit?: string;
}

/** The agent's process with these files; `done` lists what was changed. */
async function held({ score = '0\n', limits = LIMITS, writeFails, prlimit }: Given) {
  const done: string[] = [];
  const own: OwnProcess = {
    pid: 4711,
    read: (path) => (path === '/proc/self/oom_score_adj' ? score : path === '/proc/self/limits' ? limits : undefined),
    write(path, text) {
      if (writeFails !== undefined) throw new Error(writeFails);
      done.push(`${path} = ${text}`);
    },
    run(command, args) {
      done.push([command, ...args].join(' '));
      return Promise.resolve(prlimit);
    },
  };
  const warnings = await holdOwnProcess({ oomScoreAdj: -999, maxOpenFiles: 1_000_000 }, own);
  return { done, warnings };
}

const FILES = 'prlimit --pid 4711 --nofile=1000000:1000000';

describe("the agent's own process", () => {
  it('gets the OOM score and the limit of open files that the configuration says', async () => {
    expect(await held({})).toEqual({ done: ['/proc/self/oom_score_adj = -999', FILES], warnings: [] });
  });

  it('is left alone where both are as the configuration says', async () => {
    const limits = LIMITS.replace(/20000 +524288/, '1000000  1000000');
    expect(await held({ score: '-999\n', limits })).toEqual({ done: [], warnings: [] });
  });

  it('keeps its OOM score where it may not lower it, with one warning', async () => {
    const { done, warnings } = await held({ writeFails: 'EACCES: permission denied' });
    expect(done).toEqual([FILES]);
    expect(warnings).toEqual([
      "the agent's oom_score_adj stays 0, and should be -999 (oomScoreAdj): EACCES: permission denied",
    ]);
  });

  it('keeps its limit of open files where prlimit is missing or fails, with one warning', async () => {
    const { warnings } = await held({ prlimit: 'could not be started: spawn prlimit ENOENT' });
    expect(warnings).toEqual([
      "the agent's limit of open files stays 524288, and should be 1000000 (maxOpenFiles): prlimit could not be started: spawn prlimit ENOENT",
    ]);
  });

  it('tries both where /proc cannot be read', async () => {
    expect((await held({ score: '', limits: '' })).done).toHaveLength(2);
  });
});

it.each([
  { text: LIMITS, limits: { soft: '20000', hard: '524288' } },
  {
    text: 'Max open files            1024                 unlimited            files\n',
    limits: { soft: '1024', hard: 'unlimited' },
  },
  { text: 'Max processes 1 1 processes\n', limits: undefined },
])('the limits of open files are $limits', ({ text, limits }) => {
  expect(openFilesIn(text)).toEqual(limits);
});
