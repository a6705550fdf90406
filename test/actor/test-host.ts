import type { Actor, ActorContext, MailboxPolicy } from '../../src/actor/actor.ts';
import { defaultRestartRule, type ChildSpec, type SupervisorReport } from '../../src/actor/supervision/child.ts';
import { ActorFault } from '../../src/actor/fault.ts';
import { silentLog, type Log } from '../../src/actor/log.ts';
import { kindOf, type Address, type Tagged } from '../../src/actor/messages/message.ts';
import type { Provocation } from '../../src/actor/threads/thread-control.ts';
import { ThreadHost, type Placement } from '../../src/actor/thread-host.ts';
import { manualClock, settled, type ManualClock } from '../support/manual-clock.ts';

/** An actor of a test. Actors with questions only omit `tell`. */
export interface TestActor {
  start?(): void | Promise<void>;
  tell?(command: Tagged): void;
  ask?(question: Tagged): unknown;
  stop?(): void | Promise<void>;
}
export type MakeTestActor = (context: ActorContext, init: unknown) => TestActor;

export interface TestHost {
  readonly host: ThreadHost;
  readonly clock: ManualClock;
  readonly reports: SupervisorReport[];
  readonly escalated: string[];
  /** Asks from outside any actor; a fault resolves to its code. */
  ask(to: Address, question?: string, deadlineMs?: number): Promise<unknown>;
  tell(to: Address, command: string): void;
}

/** The verdicts of a host so far, in order. */
export const verdicts = ({ reports }: TestHost): string[] => reports.map(({ verdict }) => verdict);

/** Resolves when no host has work left that needs no time. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await settled();
}

export const child = (address: Address, rest: Partial<ChildSpec> = {}): ChildSpec => ({
  address,
  restart: defaultRestartRule,
  stopWithinMs: 1_000,
  ...rest,
});

/** A host whose actor kinds are the keys of `actors`, with a clock that stands still. No actor is started yet. */
export function testHost(
  actors: Readonly<Record<string, MakeTestActor>>,
  options: {
    readonly thread?: string;
    readonly life?: number;
    readonly mailbox?: MailboxPolicy;
    readonly placement?: Placement;
    readonly log?: Log;
    readonly urgent?: ReadonlySet<string>;
    readonly provoke?: (how: Provocation) => void;
  } = {},
): TestHost {
  const { thread = 'here', life = 1, mailbox = { capacity: 100 } } = options;
  const clock = manualClock();
  const reports: SupervisorReport[] = [];
  const escalated: string[] = [];
  const made = Object.entries(actors).map(([kind, make]) => {
    const makeActor = (context: ActorContext<never>, init: unknown): Actor => ({
      tell() {},
      // The tests speak the widest protocol.
      ...make(context as unknown as ActorContext, init),
    });
    return [kind, { make: makeActor, mailbox }] as const;
  });
  const host = new ThreadHost({
    thread,
    life,
    kinds: Object.fromEntries(made),
    placement: options.placement ?? (() => thread),
    clock,
    random: () => 0,
    log: options.log ?? silentLog,
    ...(options.urgent === undefined ? {} : { urgent: options.urgent }),
    ...(options.provoke === undefined ? {} : { provoke: options.provoke }),
    report: (report) => reports.push(report),
    escalate: (address) => escalated.push(address),
  });
  const codeOf = (fault: unknown): string =>
    fault instanceof ActorFault ? fault.code : `not a fault: ${String(fault)}`;
  return {
    host,
    clock,
    reports,
    escalated,
    ask: (to, question = 'question', deadlineMs = 1_000) => host.ask(to, { type: question }, deadlineMs).catch(codeOf),
    tell: (to, command) => host.tell(to, { type: command }),
  };
}

/** Starts one actor of each kind at the address of the kind, in the order of definition. */
export async function startAll({ host }: TestHost, ...specs: readonly ChildSpec[]): Promise<void> {
  for (const spec of specs) await host.startActor(spec);
}

/** Two hosts. Actors of `thereKinds` are placed on `there`, all others on `here`. */
export const placedBy =
  (thereKinds: readonly string[]): Placement =>
  (address) =>
    thereKinds.includes(kindOf(address)) ? 'there' : 'here';
