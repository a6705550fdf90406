import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock, type Clock } from '../../../src/actor/clock.ts';
import { runAgent, type StartAgent } from '../../../src/cli/run/run-agent.ts';
import { fakeBackend } from '../admin/fake-backend.ts';
import { plainMachine } from './plain-machine.ts';

/**
 * `hivelet run --no-launcher` with an idle agent, except for one hanging job of the thread pool: a pipe that
 * is opened and has no other end. The job is of the `main` thread, of a `thread` that the agent stops, of a `given-up`
 * one that it no longer stops, or of `nothing`. Time passes ten times as fast.
 */
const [folder = '', where = 'nothing'] = process.argv.slice(2);
const pipe = join(folder, 'pipe');
execFileSync('mkfifo', [pipe]);

const CODE =
  "require('node:fs').open(process.env.PIPE, 'r', () => {}); require('node:worker_threads').parentPort.postMessage('');";
let worker: Worker | undefined;
if (where === 'main') open(pipe, 'r', () => {});
else if (where !== 'nothing') {
  worker = new Worker(CODE, { eval: true, env: { PIPE: pipe } });
  await once(worker, 'message');
}

const end = async (): Promise<void> => void (await worker?.terminate());
const startAgent: StartAgent = () =>
  Promise.resolve({
    admin: fakeBackend(),
    failed: new Promise<string>(() => {}),
    keepCompiled: () => Promise.resolve(),
    healthProblem: () => Promise.resolve(undefined),
    stop: () => (where === 'thread' ? end() : Promise.resolve()),
    endThreads: end,
  });
const clock: Clock = { ...systemClock, after: (ms, fire) => systemClock.after(ms / 10, fire) };

const code = await runAgent(
  { 'root-dir': join(folder, 'root'), 'cert-dir': join(folder, 'pki'), 'logging-format': 'json' },
  { profile: 'compact', faultInjection: false, memoryLimit: { type: 'none' } },
  { startAgent, machine: plainMachine, clock },
);
process.exit(code);
