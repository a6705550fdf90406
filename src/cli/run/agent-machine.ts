import { writeFileSync } from 'node:fs';
import type { Clock } from '../../actor/clock.ts';
import { type HeldLock, holdLockFile } from '../../host/process/lock-file.ts';
import { hostReader } from '../../host/host-reader.ts';
import { holdOwnProcess, type ProcessSettings } from '../../host/process/own-process.ts';
import { runBounded } from '../../host/run-bounded.ts';
import { readStartFacts, type StartFacts } from '../../host/start-facts.ts';

/** The machine of a starting agent: the facts that it reads, and the settings of its own process. */
export interface AgentMachine {
  startFacts(): StartFacts;
  /** Returns a warning for each setting that could not be applied. Never rejects. */
  holdProcess(settings: ProcessSettings): Promise<readonly string[]>;
  /** Waits until this process holds the lock file. Rejects when the file cannot be locked. */
  holdLockFile(path: string, waits: () => void): Promise<HeldLock>;
}

const PRLIMIT_WITHIN_MS = 5_000;

export const thisMachine = (clock: Clock): AgentMachine => ({
  startFacts: () => readStartFacts(hostReader),
  holdProcess: (settings) =>
    holdOwnProcess(settings, {
      pid: process.pid,
      read: (path) => hostReader.read(path),
      write: (path, text) => writeFileSync(path, text),
      run: async (command, args) => {
        const program = { command, args, env: process.env, withinMs: PRLIMIT_WITHIN_MS, maxBytes: 4096 };
        const { problem, complaint } = await runBounded(program, clock);
        return problem === undefined ? undefined : [problem, complaint.trim()].filter((text) => text !== '').join(': ');
      },
    }),
  holdLockFile: (path, waits) => holdLockFile(path, { clock, waits }),
});
