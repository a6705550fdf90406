import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { targetNames } from './targets.ts';

const SECONDS = Number(process.env['HIVELET_FUZZ_SECONDS'] ?? 20);
const SEED = Number(process.env['HIVELET_FUZZ_SEED'] ?? 20_261_129);
/** Two at a time: a machine has two cores at least. */
const TIMEOUT_MS = (SECONDS + 150) * 1_000;

interface Run {
  readonly code: number;
  readonly text: string;
}

function fuzz(target: string): Promise<Run> {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const args = [main, '--target', target, '--seconds', String(SECONDS), '--seed', String(SEED)];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, text: `${stdout}${code === 0 ? '' : stderr}` });
    });
  });
}

describe(`hostile input for ${SECONDS} s with seed ${SEED}`, () => {
  it.concurrent.each(targetNames)('%s harm nobody', { timeout: TIMEOUT_MS + 5_000 }, async (target) => {
    const { code, text } = await fuzz(target);
    // Counts belong to what a run shows, also when nothing was found.
    process.stdout.write(text);
    expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(/^\S+: seed -?\d+, [1-9]\d* cases/m) });
  });
});
