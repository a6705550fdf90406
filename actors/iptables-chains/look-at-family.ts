import type { Clock } from '../../src/actor/clock.ts';
import { CANARY_TABLES, canaries, changeFor, ensuredFor, questions, type Ensured } from './chains.ts';
import type { Family, FamilyOutcome } from './protocol.ts';
import type { FamilyToLookAt } from './state.ts';

/** How a run of `iptables` ended. */
export interface IptablesEnd {
  /** `undefined` when the program did not start, or was killed. */
  readonly code: number | undefined;
  /** Its complaint, or the reason why it did not end by itself. */
  readonly text: string;
}

export interface Iptables {
  /** Runs `iptables` or `ip6tables`. Never rejects. */
  run(family: Family, args: readonly string[]): Promise<IptablesEnd>;
}

/** iptables ends with 1 when a chain exists already, and when a chain or rule does not exist. */
const NO = 1;
const FLUSHED_WITHIN_MS = 5_000;
const LOOK_AGAIN_MS = 100;

/** Makes what a family lacks. A family whose canary is there was not flushed, and costs one look. */
export async function lookAtFamily(
  { family, state }: FamilyToLookAt,
  { iptables, clock }: { readonly iptables: Iptables; readonly clock: Pick<Clock, 'after'> },
): Promise<FamilyOutcome> {
  const run = (args: readonly string[]): Promise<IptablesEnd> => iptables.run(family, args);
  if (state === 'new' && (await run(questions.isPresent)).code !== 0) return { family, outcome: { type: 'absent' } };
  if (state === 'made') {
    const { code, text } = await run(questions.canaryIn(CANARY_TABLES.first));
    if (code === 0) return { family, outcome: { type: 'untouched' } };
    // Any other end says nothing about the chain: the lock was busy, or memory was short.
    if (code !== NO) return { family, outcome: { type: 'failed', problem: text } };
    await untilFlushed(run, clock);
  }
  for (const ensured of [...ensuredFor(family), ...canaries]) {
    const problem = await ensure(ensured, run);
    if (problem !== undefined) return { family, outcome: { type: 'failed', problem } };
  }
  return { family, outcome: { type: 'made' } };
}

/** Returns the problem when the chain or rule could not be made. */
async function ensure(
  ensured: Ensured,
  run: (args: readonly string[]) => Promise<IptablesEnd>,
): Promise<string | undefined> {
  const { table, chain } = ensured;
  if (ensured.type === 'rule') {
    const found = await run(questions.isThere(ensured));
    if (found.code === 0) return undefined;
    if (found.code !== NO) return `chain ${chain} of table ${table} cannot be read: ${found.text}`;
  }
  const { code, text } = await run(changeFor(ensured));
  const isThere = code === 0 || (ensured.type === 'chain' && code === NO);
  return isThere ? undefined : `chain ${chain} of table ${table} cannot be changed: ${text}`;
}

/** A flush takes table after table: chains that are made too early would be flushed as well. */
async function untilFlushed(
  run: (args: readonly string[]) => Promise<IptablesEnd>,
  clock: Pick<Clock, 'after'>,
): Promise<void> {
  for (let waitedMs = 0; waitedMs < FLUSHED_WITHIN_MS; waitedMs += LOOK_AGAIN_MS) {
    const ends = await Promise.all(CANARY_TABLES.others.map((table) => run(questions.canaryIn(table))));
    if (ends.every(({ code }) => code === NO)) return;
    await new Promise<void>((resolve) => void clock.after(LOOK_AGAIN_MS, resolve));
  }
}
