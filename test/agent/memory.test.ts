import { describe, expect, it } from 'vitest';
import type { ThreadMemory } from '../../src/actor/insight/memory-holders.ts';
import { agentMemoryText, boundAgentMemory, type MemoryHoldingThread } from '../../src/agent/memory.ts';
import { manualClock } from '../support/manual-clock.ts';

const MIB = 2 ** 20;
const never = <T>(): Promise<T> => new Promise<T>(() => {});
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

const holds = (thread: string, memory: () => Promise<ThreadMemory>): MemoryHoldingThread => ({
  thread,
  memory,
  waiting: () => Promise.resolve([{ thread, kind: 'pleg', messages: 2 }]),
});

function agent(threads: readonly MemoryHoldingThread[], terminate: () => Promise<void>) {
  const clock = manualClock();
  const lines: (readonly [level: string, fields: object, message: string])[] = [];
  const ends: string[] = [];
  const process = { mib: 100 };
  const write = (level: string) => (fields: object, message: string) => void lines.push([level, fields, message]);
  boundAgentMemory({
    limitBytes: 500 * MIB,
    clock,
    log: { info: write('info'), warn: write('warn'), error: write('error') },
    resident: () => process.mib * MIB,
    threads: { all: () => threads, terminate },
    end: (how) => ends.push(how),
  });
  return { clock, lines, ends, process };
}

const pleg = holds('pleg', () =>
  Promise.resolve({ thread: 'pleg', heapUsedBytes: 20 * MIB, externalBytes: 700 * MIB }),
);

describe('an agent above its memory limit', () => {
  it('logs the memory holders, ends its threads, and exits', async () => {
    const { clock, lines, ends, process } = agent([pleg], () => Promise.resolve());
    process.mib = 800;
    clock.advance(500);
    await turns();
    expect(lines).toEqual([
      [
        'error',
        {
          residentMiB: 800,
          limitMiB: 500,
          threads: ['pleg (heap 20 MiB, buffers 700 MiB)'],
          mailboxes: ['pleg on pleg: 2 messages'],
          unaccountedMiB: 80,
        },
        'agent holds 800 MiB of memory, limit 500 MiB; ending this process, containers keep running. ' +
          'Largest holder: pleg (heap 20 MiB, buffers 700 MiB)',
      ],
    ]);
    expect(ends).toEqual(['ended']);
  });

  it('exits also when threads neither answer nor can be ended', async () => {
    const ended = (): Promise<ThreadMemory> => Promise.reject(new Error('thread ended'));
    const { clock, lines, ends, process } = agent([pleg, holds('cri', never), holds('node', ended)], never);
    process.mib = 800;
    clock.advance(500);
    await turns();
    expect(lines).toEqual([]);
    clock.advance(500);
    await turns();
    expect(lines).toMatchObject([
      [
        'error',
        {
          threads: ['pleg (heap 20 MiB, buffers 700 MiB)', 'cri (does not answer)', 'node (does not answer)'],
        },
        expect.stringContaining('agent holds 800 MiB'),
      ],
    ]);
    expect(ends).toEqual([]);
    clock.advance(1_000);
    await turns();
    expect(ends).toEqual(['hanging']);
  });

  it('warns once near its limit, and logs when it no longer is', () => {
    const { clock, lines, ends, process } = agent([pleg], never);
    for (const mib of [450, 460, 200]) {
      process.mib = mib;
      clock.advance(2_000);
    }
    expect(lines.map(([level, , message]) => `${level}: ${message}`)).toEqual([
      'warn: agent is near its memory limit; at the limit it ends and restarts, containers keep running',
      'info: agent is well below its memory limit again',
    ]);
    expect(ends).toEqual([]);
  });
});

describe('the metrics of an agent’s memory', () => {
  it('are its resident memory and its limit', () => {
    const text = agentMemoryText(100, 200);
    expect(text).toContain('\nhivelet_process_resident_memory_bytes 100\n');
    expect(text).toContain('\nhivelet_process_memory_limit_bytes 200\n');
    expect(agentMemoryText(100, undefined)).not.toContain('limit');
  });
});
