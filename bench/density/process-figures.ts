import { readFileSync } from 'node:fs';

/** Linux counts CPU time for user space in hundredths of a second, whatever the kernel's own tick is. */
const MS_PER_TICK = 10;
/** Where `utime` and `stime` are, counted from the field after the command's name. */
const UTIME = 11;
const STIME = 12;

/** CPU time of a whole process, all its threads that live or have ended, from its `/proc/<pid>/stat`. */
export function cpuMsIn(stat: string): number {
  // The name is in parentheses and may hold blanks and parentheses of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ms = (Number(fields[UTIME]) + Number(fields[STIME])) * MS_PER_TICK;
  if (Number.isNaN(ms)) throw new Error(`not the stat file of a process: ${stat.slice(0, 200)}`);
  return ms;
}

/** Memory that a process holds at this moment, from its `/proc/<pid>/status`. */
export function rssMiBIn(status: string): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kibibytes === undefined) throw new Error('no VmRSS in the status file of the process');
  return Number(kibibytes) / 1024;
}

/** Throws when there is no such process any more. */
export const cpuMsOf = (pid: number): number => cpuMsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
export const rssMiBOf = (pid: number): number => rssMiBIn(readFileSync(`/proc/${pid}/status`, 'utf8'));
