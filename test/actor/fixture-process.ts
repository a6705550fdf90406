/** A program that starts threads, makes one fail, stops them all, and should then exit by itself. */
import { FixtureThreads } from './fixture-threads.ts';

const threads = new FixtureThreads();
await threads.start();
await threads.provoke('a', 'exit');
await threads.incarnationOf('fixture/a/1');
await threads.supervisor.stop();
process.stdout.write('stopped\n');
const stoppedAt = performance.now();
process.once('exit', () => {
  const after = performance.now() - stoppedAt;
  process.stdout.write(after < 500 ? 'ended within 500 ms\n' : `ended after ${after} ms\n`);
});
