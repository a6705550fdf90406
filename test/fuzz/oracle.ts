import type { Problem, Verdict } from './target.ts';

/** Handlers on the agent's own threads. */
export const HANDLER_MS = 100;
/** Files that a job thread reads, or a command at its start. */
export const READING_MS = 1_000;
/** Not every thread can receive values nested deeper than this. */
const MOST_DEPTH = 500;

/** Milliseconds of processor time of this thread: other processes of a busy machine do not count. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Runs and judges one handler: an error is a defect, and so is an answer that is not plain data. */
export async function judged(
  where: string,
  run: () => unknown,
  outcomeOf: (answer: unknown) => string,
): Promise<Verdict> {
  const problems: Problem[] = [];
  const begun = threadMs();
  let outcome = 'threw';
  try {
    const answer = await run();
    const ended = threadMs();
    problems.push(...notPlain(where, answer));
    outcome = outcomeOf(answer);
    problems.push(...pollution());
    return { outcome, problems, slowestMs: ended - begun, slowest: where };
  } catch (error) {
    problems.push(defect(error, where), ...pollution());
    return { outcome, problems, slowestMs: threadMs() - begun, slowest: where };
  }
}

/** An unexpected error, named after the line of the agent that threw it. */
export function defect(error: unknown, where: string): Problem {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'defect', where: `${where}: ${frameOf(text)}`, detail: text.slice(0, 1_000) };
}

/** The first line of the agent's own code in a stack, without what differs from checkout to checkout. */
export function frameOf(stack: string): string {
  const frame = /(?:src|actors)\/[\w./-]+\.ts:\d+/.exec(stack)?.[0];
  return frame ?? stack.split('\n', 1)[0]?.replaceAll(/\d+/g, 'N').slice(0, 120) ?? '';
}

/** Finds values that another thread could not receive, and inherited values. */
function notPlain(where: string, answer: unknown): readonly Problem[] {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value: answer, depth: 0 }];
  const seen = new Set<unknown>();
  const bad = (what: string): readonly Problem[] => [{ kind: 'defect', where: `${where}: ${what}`, detail: what }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value === 'function' || typeof value === 'symbol') return bad(`the answer holds a ${typeof value}`);
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    if (depth > MOST_DEPTH) return bad(`the answer is nested more than ${MOST_DEPTH} deep`);
    seen.add(value);
    const inner = value instanceof Map || value instanceof Set ? [...value.values()] : Object.values(value);
    for (const each of inner) waiting.push({ value: each, depth: depth + 1 });
  }
  return [];
}

const own = Object.getOwnPropertyNames(Object.prototype).join();

/** Finds a key that was assigned to the prototype of all objects. */
export function pollution(): readonly Problem[] {
  const now = Object.getOwnPropertyNames(Object.prototype);
  if (now.join() === own) return [];
  const added = now.filter((name) => !own.split(',').includes(name));
  for (const name of added) Reflect.deleteProperty(Object.prototype, name);
  return [{ kind: 'defect', where: 'Object.prototype was changed', detail: added.join(', ') }];
}

/** Returns a verdict, with a problem if a handler exceeded its time. */
export function withTimeBound(verdict: Verdict, allowedMs: number): Verdict {
  const { slowest, slowestMs, problems } = verdict;
  if (slowestMs <= allowedMs) return verdict;
  const detail = `${slowest} took ${Math.round(slowestMs)} ms of thread time; ${allowedMs} ms are allowed`;
  return { ...verdict, problems: [...problems, { kind: 'slow', where: slowest, detail }] };
}
