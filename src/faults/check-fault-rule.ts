import { faultCodes } from '../actor/fault.ts';
import { kindOf } from '../actor/messages/message.ts';
import { suggestion } from '../config/flags/did-you-mean.ts';
import { criFaultCodes } from '../cri/fault.ts';
import {
  actionsAt,
  apiErrorCodes,
  fileErrorCodes,
  isThreadAction,
  type BlastRadius,
  type FaultAction,
  type FaultMatch,
  type FaultRule,
  type FaultWhen,
  type Seam,
} from './fault-plan.ts';
import type { FaultWorld, KindFacts } from './fault-world.ts';
import type { Report } from './read-fields.ts';
import type { ReadRule } from './read-fault-rule.ts';
import { matchesGlob } from '../kube/text/glob.ts';

interface Given {
  readonly report: Report;
  readonly world: FaultWorld;
  readonly radius: BlastRadius;
}

/** Rejects rules that are well formed but can never act, as far as their parts are there. */
export function checkFaultRule({ match, when, action }: ReadRule, given: Given): void {
  if (match !== undefined) {
    checkThread(match, given);
    if (match.at === 'api' && given.world.apiThreads.length === 0) {
      given.report.add('match', undefined, 'is about the API server, but this agent runs without one');
    }
    if (match.at === 'mailbox' || match.at === 'link') checkActors(match, given);
  }
  if (match !== undefined && action !== undefined) checkAction(match, action, given);
  if (when !== undefined) checkTimes(when, given);
  if (match !== undefined && action !== undefined && when !== undefined) checkWhen({ match, when, action }, given);
}

const errorCodesAt: Readonly<Partial<Record<Seam, readonly string[]>>> = {
  mailbox: faultCodes,
  link: faultCodes,
  // The last two are the agent's own codes for a call that it lost or never made.
  cri: criFaultCodes.filter((code) => code !== 'INTERRUPTED' && code !== 'NOT_MADE'),
  api: apiErrorCodes,
  files: fileErrorCodes,
};

function checkAction({ at }: FaultMatch, action: FaultAction, { report, radius }: Given): void {
  if (!actionsAt[at].includes(action.type)) {
    report.add('action', action.type, `is not possible at the ${at}; possible are ${actionsAt[at].join(', ')}`);
    return;
  }
  if (action.type === 'error') {
    const codes = errorCodesAt[at] ?? [];
    if (!codes.includes(action.code)) report.add('action.code', action.code, `must be one of ${codes.join(', ')}`);
  }
  if (action.type === 'drop' && action.lose !== undefined && at !== 'cri' && at !== 'api') {
    report.add('action.lose', action.lose, 'applies only to calls to the runtime and to the API server');
  }
  if (isThreadAction(action) && radius.maxThreads === 0) {
    report.add('action', action.type, 'has no effect: blastRadius.maxThreads is 0');
  }
}

function checkTimes({ nth, rate, afterMs, atMs, atMost }: FaultWhen, { report, radius }: Given): void {
  for (const [name, ms] of Object.entries({ afterMs, atMs })) {
    if (ms === undefined || ms < radius.maxMinutes * 60_000) continue;
    report.add(
      `when.${name}`,
      ms,
      `never comes: the plan ends after ${radius.maxMinutes} minutes (blastRadius.maxMinutes)`,
    );
  }
  if (nth !== undefined && rate !== undefined) report.add('when.rate', rate, 'cannot be combined with nth');
  if (nth !== undefined && atMost !== undefined) {
    report.add('when.atMost', atMost, 'cannot be combined with nth, which acts once');
  }
}

function checkWhen({ match, when, action }: FaultRule, { report }: Given): void {
  const { at } = match;
  const { nth, rate, afterMs, atMs, atMost } = when;
  const counts = { nth, rate, afterMs };
  if (at === 'thread' || atMs !== undefined) {
    for (const [name, value] of Object.entries(counts)) {
      if (value !== undefined) report.add(`when.${name}`, value, 'needs a match, but this rule acts without one');
    }
  }
  if (atMs !== undefined && at !== 'thread') {
    if (at !== 'mailbox' || action.type !== 'crash' || match.message !== undefined || match.actor === undefined) {
      report.add(
        'when.atMs',
        atMs,
        'applies only to crashing an actor or failing a thread without waiting for a message',
      );
    }
  }
  if (action.type === 'step' || action.type === 'skew') {
    for (const [name, value] of Object.entries({ nth, rate, atMost })) {
      if (value !== undefined)
        report.add(`when.${name}`, value, 'counts matches, but a rule for a clock has no matches');
    }
  }
}

function checkThread(match: FaultMatch, { report, world }: Given): void {
  const { thread } = match;
  if (thread === undefined) return;
  if (!world.threads.includes(thread)) {
    const known = suggestion(thread, world.threads) || `; there are ${world.threads.join(', ')}`;
    report.add('match.thread', thread, `is not a thread that faults can be injected into${known}`);
    return;
  }
  if (match.at === 'cri' && !world.criThreads.includes(thread)) {
    report.add('match.thread', thread, `never calls the runtime; only ${world.criThreads.join(', ')} does`);
  }
  if (match.at === 'api' && !world.apiThreads.includes(thread)) {
    report.add(
      'match.thread',
      thread,
      `never calls the API server; ${world.apiThreads.join(', ') || 'no thread'} does`,
    );
  }
  if (match.at === 'files' && !world.fileThreads.includes(thread)) {
    report.add('match.thread', thread, `writes no pod files; only ${world.fileThreads.join(', ')} does`);
  }
}

function checkActors(match: FaultMatch & { readonly at: 'mailbox' | 'link' }, { report, world }: Given): void {
  const { actor, message } = match;
  const patterns = actor === undefined ? ['*'] : typeof actor === 'string' ? [actor] : actor;
  const facts: KindFacts[] = [];
  for (const pattern of patterns) {
    const fitting = kindsFor(pattern, world);
    if (fitting.length === 0) {
      const kinds = [...world.kinds.keys()];
      const kind = kindOf(pattern);
      const one = world.kinds.get(kind)?.addresses === 'one';
      const why = one ? `: there is only one ${kind}, at the address ${kind}` : suggestion(kind, kinds);
      report.add('match.actor', pattern, `matches no kind of actor${why || `; the kinds are ${kinds.join(', ')}`}`);
    }
    facts.push(...fitting);
  }
  if (facts.length === 0) return;
  if (message !== undefined && facts.every(({ messages }) => messages !== undefined && !messages.includes(message))) {
    const words = [...new Set(facts.flatMap(({ messages }) => messages ?? []))];
    const nearest = suggestion(message, words);
    const known = words.length <= 20 ? `; there are ${words.join(', ')}` : '';
    report.add(
      'match.message',
      message,
      `is no message of ${actor === undefined ? 'any actor' : patterns.join(', ')}${nearest || known}`,
    );
  }
  const { thread } = match;
  // At the link, `thread` is the sender's, and any actor may write to any other.
  if (match.at === 'mailbox' && thread !== undefined && facts.every(({ threads }) => !threads.includes(thread))) {
    report.add('match.thread', thread, `never runs ${patterns.join(', ')}`);
  }
}

/** Returns the kinds of actors that can have a matching address. */
function kindsFor(pattern: string, { kinds }: FaultWorld): readonly KindFacts[] {
  const slash = pattern.indexOf('/');
  const kindPart = slash < 0 ? pattern : pattern.slice(0, slash);
  return [...kinds].flatMap(([kind, facts]) => {
    if (slash < 0) return matchesGlob(kindPart, kind) ? [facts] : [];
    // A star may match a slash too: `*/x` and `*x/y` match any kind with many actors.
    const mayFit = matchesGlob(kindPart, kind) || (kindPart.includes('*') && facts.addresses === 'many');
    return mayFit && facts.addresses === 'many' ? [facts] : [];
  });
}
