/**
 * What do a hundred followers of one busy container log cost the node's server? This process holds the server, its
 * reading and its sockets, and is measured. The writing container and the following clients are in another process.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/actor/clock.ts';
import type { Pod } from '../src/kube/pod.ts';
import { hostLogFiles } from '../src/serving/logs/log-files.ts';
import type { NodeServerTools } from '../src/serving/node-server-settings.ts';
import { openNodeServer } from '../src/serving/node-server.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean' },
    followers: { type: 'string', default: '100' },
    'lines-per-second': { type: 'string', default: '100' },
    seconds: { type: 'string', default: '5' },
  },
});
const seconds = Number(values.seconds);
const TARGET_PERCENT = 20;

const folder = mkdtempSync(join(tmpdir(), 'log-followers-'));
const logPath = join(folder, '0.log');
writeFileSync(logPath, '');

const containerStatus = { name: 'main', containerID: 'bench://c1', state: { running: {} } };
const pod = {
  metadata: { name: 'busy', namespace: 'a', uid: 'u1' },
  spec: { containers: [{ name: 'main' }] },
  status: { containerStatuses: [containerStatus] },
} as unknown as Pod;

// The parts of a node that a log request uses.
const tools = {
  node: {
    nodeName: 'bench',
    pod: () => Promise.resolve(pod),
    cri: { call: () => Promise.resolve({ ok: true, value: { status: { logPath, state: 1 }, info: {} } }) },
  },
  files: hostLogFiles,
  clock: systemClock,
  warn: () => {},
} as unknown as NodeServerTools;

const switches = {
  debuggingHandlers: true,
  systemLogHandler: false,
  profilingHandler: false,
  debugFlagsHandler: false,
  containerCheckpoint: false,
  statusz: false,
  flagz: false,
  fineGrainedAuthorization: true,
};
const server = await openNodeServer({ address: '127.0.0.1', port: 0, switches, streamIdleMs: 0 }, tools);

/** Writes the log, follows it many times over, and finally reports how many bytes its followers have read. */
const outside = `
  const { appendFileSync } = require('node:fs');
  const http = require('node:http');
  const [, port, path, followers, perSecond] = process.argv;
  let bytes = 0, started = 0;
  for (let index = 0; index < followers; index++) {
    http.get({ port, path: '/containerLogs/a/busy/main?follow=true', agent: false }, (answer) => {
      answer.on('data', (piece) => (bytes += piece.length));
      if (++started === Number(followers)) process.stdout.write('started\\n');
    });
  }
  const line = 'x'.repeat(100);
  setInterval(() => {
    let lines = '';
    for (let count = 0; count < perSecond / 20; count++) lines += new Date().toISOString() + ' stdout F ' + line + '\\n';
    appendFileSync(path, lines);
  }, 50);
  process.stdin.on('end', () => { process.stdout.write(bytes + '\\n'); process.exit(0); }).resume();
`;
const args = ['-e', outside, String(server.port), logPath, values.followers, values['lines-per-second']];
const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
let said = '';
const started = Promise.withResolvers<void>();
child.stdout.on('data', (piece: Buffer) => {
  said += piece.toString();
  if (said.includes('started')) started.resolve();
});
await started.promise;
const pause = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));
await pause(500);
const before = process.cpuUsage();
const memoryBefore = process.memoryUsage.rss();
const since = systemClock.monotonic();
await pause(seconds * 1_000);
const spent = process.cpuUsage(before);
const elapsedMs = systemClock.monotonic() - since;
const percent = ((spent.user + spent.system) / 1_000 / elapsedMs) * 100;
const grownMiB = (process.memoryUsage.rss() - memoryBefore) / 2 ** 20;
child.stdin.end();
await new Promise((resolve) => void child.once('close', resolve));
await server.close();
rmSync(folder, { recursive: true, force: true });

const readBytes = Number(said.trim().split('\n').at(-1));
const result = {
  followers: Number(values.followers),
  linesPerSecond: Number(values['lines-per-second']),
  cpuPercentOfOneCore: Math.round(percent * 10) / 10,
  targetPercent: TARGET_PERCENT,
  grownMiB: Math.round(grownMiB * 10) / 10,
  readMiB: Math.round((readBytes / 2 ** 20) * 10) / 10,
};
process.stdout.write(
  values.json === true
    ? `${JSON.stringify(result)}\n`
    : `${result.followers} followers of ${result.linesPerSecond} lines a second: ${result.cpuPercentOfOneCore} % of a core ` +
        `(at most ${TARGET_PERCENT}), ${result.grownMiB} MiB more memory, ${result.readMiB} MiB read\n`,
);
if (percent > TARGET_PERCENT || readBytes === 0) process.exitCode = 1;
