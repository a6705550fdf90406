import { spawn } from 'node:child_process';

const ENDS_WITHIN_MS = 30_000;

/**
 * Reads systemd's journal. `undefined` when this system has none. The program ends with its reader, or after half a
 * minute.
 */
export async function readJournal(
  args: readonly string[],
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer> | undefined> {
  const child = spawn('journalctl', args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(ENDS_WITHIN_MS)]),
  });
  const started = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.on('error', () => resolve(false));
  });
  if (!started) return undefined;
  return piecesOf(child);
}

async function* piecesOf(child: ReturnType<typeof spawn>): AsyncGenerator<Buffer> {
  try {
    // Without decoding, pieces are bytes.
    for await (const piece of child.stdout ?? []) yield piece as Buffer;
  } finally {
    child.kill('SIGKILL');
  }
}
