import { readFileSync } from 'node:fs';

/** Linux counts CPU time for user space in hundredths of a second, whatever the kernel's own tick is. */
const MS_PER_TICK = 10;
/** Positions of `utime` and `stime`, counted from the field after the command's name. */
const UTIME = 11;
const STIME = 12;

/** CPU time of a whole process, all its threads that live or have ended. */
export interface CpuTime {
  readonly userMs: number;
  /** CPU time in the kernel for this process: for a node agent mostly files and sockets. */
  readonly systemMs: number;
}

/** Returns the CPU time in `/proc/<pid>/stat`. */
export function cpuTimeIn(stat: string): CpuTime {
  // The name is in parentheses and may hold blanks and parentheses of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [userMs, systemMs] = [Number(fields[UTIME]) * MS_PER_TICK, Number(fields[STIME]) * MS_PER_TICK];
  if (Number.isNaN(userMs + systemMs)) throw new Error(`not the stat file of a process: ${stat.slice(0, 200)}`);
  return { userMs, systemMs };
}

export const totalMs = ({ userMs, systemMs }: CpuTime): number => userMs + systemMs;

export const cpuSince = (before: CpuTime, now: CpuTime): CpuTime => ({
  userMs: now.userMs - before.userMs,
  systemMs: now.systemMs - before.systemMs,
});

/** Memory that a process holds at this moment, from its `/proc/<pid>/status`. */
export function rssMiBIn(status: string): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error('no VmRSS in the status file of the process');
  return Number(kibibytes) / 1024;
}

/** Throws when there is no such process any more. */
export const cpuTimeOf = (pid: number): CpuTime => cpuTimeIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
export const rssMiBOf = (pid: number): number => rssMiBIn(readFileSync(`/proc/${pid}/status`, 'utf8'));
