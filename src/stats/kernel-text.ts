import { memInfoBytes as exactBytes } from '../host/mem-info.ts';
import type { InterfaceStats, PsiData, PsiStats } from './summary.ts';

/** Parsers of the kernel's small files. A value missing from a file is `undefined`, never zero. */

/** Reads a file of one number. `undefined` for `max`, which means no limit. */
export function oneNumber(text: string | undefined): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^\d+$/.test(trimmed) ? Number(trimmed) : undefined;
}

/** Returns one number from a file of `key number` lines, as `memory.stat` and `cpu.stat` are. */
export function keyedNumber(text: string | undefined, key: string): number | undefined {
  if (text === undefined) return undefined;
  const wanted = `${key} `;
  // Searches for the key without splitting every line: such files have forty lines, and one is read for each
  // container.
  const at = text.startsWith(wanted) ? 0 : text.indexOf(`\n${wanted}`) + 1;
  if (at === 0 && !text.startsWith(wanted)) return undefined;
  const number = Number.parseInt(text.slice(at + wanted.length, at + wanted.length + 24), 10);
  return Number.isNaN(number) ? undefined : number;
}

/** Bytes from `/proc/meminfo`, which counts in kibibytes. */
export function memInfoBytes(text: string | undefined, key: string): number | undefined {
  const bytes = exactBytes(text, key);
  return bytes === undefined ? undefined : Number(bytes);
}

const NO_STALL: PsiData = { total: 0, avg10: 0, avg60: 0, avg300: 0 };
/** What a kubelet reports where the kernel measures no pressure: version 1 of cgroups, or a kernel without it. */
export const NO_PRESSURE: PsiStats = { full: NO_STALL, some: NO_STALL };

/** Pressure stall information; old kernels report no `full` for processors. */
export function pressure(text: string | undefined): PsiStats | undefined {
  const some = pressureLine(text, 'some');
  if (some === undefined) return undefined;
  return { full: pressureLine(text, 'full') ?? NO_STALL, some };
}

const PRESSURE = /^(?:some|full) avg10=([0-9.]+) avg60=([0-9.]+) avg300=([0-9.]+) total=([0-9]+)/;

function pressureLine(text: string | undefined, kind: 'some' | 'full'): PsiData | undefined {
  const lines = (text ?? '').split('\n').filter((line) => line.startsWith(`${kind} `));
  const figures = lines.map((line) => PRESSURE.exec(line)).find((found) => found !== null);
  if (figures === undefined) return undefined;
  const [avg10 = 0, avg60 = 0, avg300 = 0, totalMicroseconds = 0] = figures.slice(1).map(Number);
  return { total: totalMicroseconds * 1_000, avg10, avg60, avg300 };
}

/** Interfaces of `/proc/net/dev`, without virtual ones. */
export function interfaces(text: string | undefined): readonly InterfaceStats[] {
  const found: InterfaceStats[] = [];
  for (const line of (text ?? '').split('\n')) {
    const [name, counts] = line.split(':', 2);
    if (name === undefined || counts === undefined) continue;
    const numbers = counts.trim().split(/\s+/).map(Number);
    const [rxBytes, , rxErrors] = numbers;
    const [txBytes, , txErrors] = numbers.slice(8);
    if (rxBytes === undefined || rxErrors === undefined || txBytes === undefined || txErrors === undefined) continue;
    if (!isVirtual(name.trim())) found.push({ name: name.trim(), rxBytes, rxErrors, txBytes, txErrors });
  }
  return found;
}

/** Packets of an interface; dropped packets are counted apart. */
export interface InterfacePackets {
  readonly name: string;
  readonly received: number;
  readonly receivedDropped: number;
  readonly sent: number;
  readonly sentDropped: number;
}

/** Like `interfaces`, with packets instead of bytes. */
export function packets(text: string | undefined): readonly InterfacePackets[] {
  return (text ?? '').split('\n').flatMap((line) => {
    const [name = '', counts] = line.split(':', 2);
    const numbers = counts?.trim().split(/\s+/).map(Number) ?? [];
    const [, received, , receivedDropped] = numbers;
    const [, sent, , sentDropped] = numbers.slice(8);
    if (received === undefined || receivedDropped === undefined || sent === undefined || sentDropped === undefined)
      return [];
    return isVirtual(name.trim()) ? [] : [{ name: name.trim(), received, receivedDropped, sent, sentDropped }];
  });
}

/** The loopback, and the host ends of pod links, which are counted for their pods. */
const isVirtual = (name: string): boolean => /^(lo|veth.*|docker.*|ifb\d+|nerdctl.*)$/.test(name);

/** The interface of the default route in `/proc/net/route`. */
export function defaultInterface(text: string | undefined): string | undefined {
  for (const line of (text ?? '').split('\n')) {
    const [name, destination, , flags] = line.split(/\s+/);
    if (destination === '00000000' && name !== undefined && (Number.parseInt(flags ?? '0', 16) & 1) === 1) return name;
  }
  return undefined;
}

/** The number of processes and threads: the fourth word of `/proc/loadavg`. */
export const runningProcesses = (text: string | undefined): number | undefined =>
  oneNumber(/^\S+ \S+ \S+ \d+\/(\d+)/.exec(text ?? '')?.[1]);
