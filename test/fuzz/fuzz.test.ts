import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { targetNames } from './targets.ts';

const SECONDS = Number(process.env['HIVELET_FUZZ_SECONDS'] ?? 20);
const SEED = Number(process.env['HIVELET_FUZZ_SEED'] ?? 20_261_129);
/** Two targets run at a time: machines have at least two cores. */
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
  it.concurrent.each(targetNames)('%s cause no finding', { timeout: TIMEOUT_MS + 5_000 }, async (target) => {
    const { code, text } = await fuzz(target);
    // A run shows its counts also without a finding.
    process.stdout.write(text);
    expect({ code, text }).toEqual({ code: 0, text: expect.stringMatching(/^\S+: seed -?\d+, [1-9]\d* cases/m) });
  });
});
