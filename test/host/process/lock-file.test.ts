import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, readFileSync, readlinkSync, readdirSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdLockFile, lockIdIn, waitingFor } from '../../../src/host/process/lock-file.ts';
import { waitUntil } from '../../support/containerd/wait-until.ts';
import { manualClock } from '../../support/manual-clock.ts';

let folder: string;
let path: string;
const others: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => {
  for (const other of others.splice(0)) other.kill('SIGKILL');
  for (const file of openFilesOf(path)) closeSync(file);
  rmSync(folder, { recursive: true });
});

/** The files of this process at that path: a lock is held until its process ends. */
const openFilesOf = (wanted: string): readonly number[] =>
  readdirSync('/proc/self/fd').flatMap((file) => {
    try {
      return readlinkSync(`/proc/self/fd/${file}`).startsWith(wanted) ? [Number(file)] : [];
    } catch {
      return [];
    }
  });

/** Another process that locks the file, and holds it until its input ends. */
async function otherHolder(): Promise<ChildProcess> {
  const other = spawn('flock', ['--exclusive', path, '--command', 'echo held; exec cat'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  others.push(other);
  if (other.stdout !== null) await once(other.stdout, 'data');
  return other;
}

const isHeld = async (): Promise<boolean> => {
  const [code] = (await once(spawn('flock', ['--nonblock', path, 'true']), 'exit')) as [number];
  return code === 1;
};

const noWait = (): void => {
  throw new Error('it waited');
};

describe('a lock file', () => {
  it('is made for its owner alone, and held by this process once it is locked', async () => {
    await holdLockFile(path, { clock: manualClock(), waits: noWait });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await isHeld()).toBe(true);
  });

  it('is waited for while another process holds it', async () => {
    const other = await otherHolder();
    const waits = Promise.withResolvers<undefined>();
    const held = holdLockFile(path, { clock: manualClock(), waits: () => waits.resolve(undefined) });
    await waits.promise;
    other.stdin?.end();
    await held;
    expect(await isHeld()).toBe(true);
  });

  it('is wanted once another process waits for it', async () => {
    const clock = manualClock();
    const held = await holdLockFile(path, { clock, waits: noWait });
    expect(held.showsWaiting).toBe(true);
    let reason: string | undefined;
    void held.wanted().then((why) => (reason = why));
    const other = spawn('flock', ['--exclusive', path, 'true']);
    others.push(other);
    const shows = (): Promise<boolean> =>
      Promise.resolve(readFileSync('/proc/locks', 'utf8').includes(`WRITE ${other.pid} `));
    await waitUntil(shows, { what: 'the kernel shows the other process', withinMs: 10_000 });
    clock.advance(1_000);
    await Promise.resolve();
    expect(reason).toBe(`process ${other.pid} waits for the lock file`);
  });

  it('is wanted once its file was removed', async () => {
    const clock = manualClock();
    const held = await holdLockFile(path, { clock, waits: noWait });
    let reason: string | undefined;
    void held.wanted().then((why) => (reason = why));
    clock.advance(3_000);
    expect(reason).toBeUndefined();
    unlinkSync(path);
    clock.advance(1_000);
    await Promise.resolve();
    expect(reason).toBe('the lock file was removed');
  });

  it('that cannot be opened is an error, and leaves no file open', async () => {
    const inNoFolder = join(folder, 'missing', 'lock');
    await expect(holdLockFile(inNoFolder, { clock: manualClock(), waits: noWait })).rejects.toThrow('ENOENT');
    expect(openFilesOf(folder)).toEqual([]);
  });
});

describe("the kernel's text about locks", () => {
  const LOCKS = `1: FLOCK  ADVISORY  WRITE 11826 fe:00:2149027 0 EOF
1: -> FLOCK  ADVISORY  WRITE 11827 fe:00:2149027 0 EOF
2: POSIX  ADVISORY  WRITE 500 fe:00:7 0 EOF
2: -> POSIX  ADVISORY  WRITE 501 fe:00:7 0 EOF
3: FLOCK  ADVISORY  WRITE 12 fe:00:9 0 EOF
`;

  it.each([
    { rule: 'a process that waits', id: 'fe:00:2149027', pid: '11827' },
    { rule: 'no process for a lock of another sort', id: 'fe:00:7', pid: undefined },
    { rule: 'no process for a lock that only has a holder', id: 'fe:00:9', pid: undefined },
    { rule: 'no process for a file whose number begins alike', id: 'fe:00:2149', pid: undefined },
  ])('names $rule', ({ id, pid }) => {
    expect(waitingFor(LOCKS, id)).toBe(pid);
  });

  it.each([
    { fdinfo: 'pos:\t0\nino:\t7\nlock:\t1: FLOCK  ADVISORY  WRITE 11826 fe:00:7 0 EOF\n', id: 'fe:00:7' },
    { fdinfo: 'pos:\t0\nino:\t7\n', id: undefined },
  ])('names the file $id', ({ fdinfo, id }) => {
    expect(lockIdIn(fdinfo)).toBe(id);
  });
});
