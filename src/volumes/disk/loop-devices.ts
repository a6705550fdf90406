import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const BLOCK_DEVICES = '/sys/block';
const PROGRAM_TIMEOUT_MS = 30_000;
const run = promisify(execFile);

/** Keeps block devices open, so that their device number cannot move to another disk while a container uses it. */
export interface DeviceHolds {
  /** Does nothing when the device is already held. Rejects when this host has no loop devices. */
  hold(path: string): Promise<void>;
  /** Does nothing when the device is not held. */
  letGo(path: string): Promise<void>;
}

/**
 * Holds a device by a loop device over it, as the kubelet does. The kernel keeps track of the holds, so they survive
 * crashes of this agent.
 */
export const loopDevices: DeviceHolds = {
  async hold(path) {
    if ((await loopsOver(path)).length === 0) await losetup(['-f', path]);
  },
  async letGo(path) {
    for (const loop of await loopsOver(path)) await losetup(['-d', loop]);
  },
};

async function loopsOver(path: string): Promise<readonly string[]> {
  const names = (await readdir(BLOCK_DEVICES).catch(() => [])).filter((name) => name.startsWith('loop'));
  const backing = await Promise.all(
    names.map((name) => readFile(`${BLOCK_DEVICES}/${name}/loop/backing_file`, 'utf8').catch(() => '')),
  );
  return names.flatMap((name, index) => (backing[index]?.trimEnd() === path ? [`/dev/${name}`] : []));
}

async function losetup(args: readonly string[]): Promise<void> {
  await run('losetup', args, {
    timeout: PROGRAM_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
  });
}
