import type { CriGatewayQuestion } from '../../../actors/cri-gateway/protocol.ts';
import type { PodWorkerInit } from '../../../actors/pod-worker/protocol.ts';
import type { Tree } from '../../../src/agent/tree.ts';
import type { ActorContext } from '../../../src/actor/actor.ts';
import { isSupervisor, type ChildSpec, type TreeSpec } from '../../../src/actor/supervision/child.ts';
import type { Protocol } from '../../../src/actor/messages/message.ts';
import type { TwistOutcome } from './simulated-runtime.ts';

/** Safeguards that can be removed, to test that a checker detects the loss. */
export const safeguards = ['fencing', 'budget', 'back-off', 'credit', 'name-reserved', 'newer-status'] as const;
export type Safeguard = (typeof safeguards)[number];

/** An unknown wording of a runtime's error for a name in use. */
export const NAME_TAKEN = 'the name is taken';

/** The seams at which a safeguard is removed. By default everything passes unchanged. */
export interface Switches {
  tree(tree: Tree): Tree;
  linkCredits(credits: number): number;
  workerRule(rule: Pick<ChildSpec, 'restart' | 'stopWithinMs'>): Pick<ChildSpec, 'restart' | 'stopWithinMs'>;
  question(question: CriGatewayQuestion): CriGatewayQuestion;
  workerInit(init: PodWorkerInit): PodWorkerInit;
  workerContext<P extends Protocol>(context: ActorContext<P>): ActorContext<P>;
  readonly outcome: TwistOutcome;
}

export function switches(off: Safeguard | undefined): Switches {
  return {
    tree: (tree) => ({
      ...tree,
      main: tree.main.map((spec) => withoutLimits(off, spec)),
      threads: tree.threads.map((thread) => ({
        ...withoutLimits(off, thread),
        children: thread.children.map((spec) => treeWithoutLimits(off, spec)),
      })),
    }),
    linkCredits: (credits) => (off === 'credit' ? 1e9 : credits),
    workerRule: (rule) => withoutLimits(off, rule),
    // All calls appear to come from one incarnation.
    question: (question) =>
      off === 'fencing' && question.type === 'call' ? { ...question, incarnation: 1 } : question,
    workerInit: (init) => (off === 'newer-status' ? { ...init, history: 'fresh' } : init),
    workerContext: (context) => (off === 'newer-status' ? withoutPast(context) : context),
    outcome: (_method, outcome) =>
      off === 'name-reserved' && !outcome.ok && outcome.fault.detail.includes(' is reserved for ')
        ? { ok: false, fault: { code: 'UNKNOWN', detail: NAME_TAKEN } }
        : outcome,
  };
}

const treeWithoutLimits = (off: Safeguard | undefined, spec: TreeSpec): TreeSpec =>
  isSupervisor(spec)
    ? { ...withoutLimits(off, spec), children: spec.children.map((child) => treeWithoutLimits(off, child)) }
    : withoutLimits(off, spec);

function withoutLimits<Child extends Pick<ChildSpec, 'restart'>>(off: Safeguard | undefined, child: Child): Child {
  const { restart } = child;
  if (off === 'budget') return { ...child, restart: { ...restart, budget: { ...restart.budget, atMost: 1e9 } } };
  if (off === 'back-off') return { ...child, restart: { ...restart, backOff: { initialMs: 0, maxMs: 0 } } };
  return child;
}

/** The same context, for an actor that appears to be the first incarnation of its address. */
const withoutPast = <P extends Protocol>(context: ActorContext<P>): ActorContext<P> =>
  new Proxy(context, {
    get(target, key) {
      if (key === 'restarted') return false;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
