import { RuntimeError } from '../../src/embedded/runtime/runtime-error.ts';
import type { Complain } from './checks/checkers.ts';
import { convergenceProblems, leftovers } from './checks/whole-node-checks.ts';
import type { MessageTrouble } from './node/message-weather.ts';
import type { Event } from './plan.ts';
import { NODE_NAME, podName } from './node/pod-shapes.ts';
import type { SimulatedNode, Slot } from './node/simulated-node.ts';

/** Plays one step of a plan. */
export function play(node: SimulatedNode, event: Event, complain: Complain): void {
  const { runtime, traps, agent, time } = node;
  const { weather } = runtime;
  switch (event.do) {
    case 'write':
      return void node.write(event.slot, node.shapeOf(event.shape), event.revision);
    case 'break':
      return node.break(event.slot);
    case 'remove':
      return node.removeManifest(event.slot);
    case 'throw':
      agent?.crashActor(addressOf(node, event.actor), 'made to throw');
      return;
    case 'throw-at-message':
      return traps.set({ ...event, address: addressOf(node, event.actor) });
    case 'fail-starts':
      traps.poison(addressOf(node, event.actor), event.starts);
      agent?.crashActor(addressOf(node, event.actor), 'made to throw');
      return;
    case 'exit-thread':
      agent?.endThread(event.thread, 'made to exit');
      return;
    case 'hang-thread':
      node.disturb(Math.min(event.forMs, 16_000) + 15_000);
      agent?.hangThread(event.thread, event.forMs);
      return;
    case 'kill-agent':
      return node.killAgent(event.downMs);
    case 'runtime-outage':
      if (weather.down) return;
      runtime.goDown();
      return during(node, event.forMs, () => runtime.comeUp());
    case 'cut-streams':
      return runtime.cutStreams();
    case 'run-short': {
      const { figures } = node;
      if (event.of === 'memory') figures.othersMib = 8_150;
      else figures.othersDiskMib = 100_000;
      return during(node, event.forMs, () => {
        if (event.of === 'memory') figures.othersMib = 0;
        else figures.othersDiskMib = 0;
      });
    }
    case 'failing-calls': {
      const rule = { method: event.method, how: event.how, rate: event.rate };
      weather.failing.push(rule);
      node.disturb(event.forMs + 90_000);
      return during(node, event.forMs, () => (weather.failing = weather.failing.filter((each) => each !== rule)));
    }
    case 'slow-calls': {
      weather.typicalMs = event.typicalMs;
      node.disturb(event.forMs + 60_000);
      return during(node, event.forMs, () => (weather.typicalMs = 0.3));
    }
    case 'bad-events':
      weather.events = event;
      return during(node, event.forMs, () => (weather.events = { lost: 0, doubled: 0, delayMs: 0 }));
    case 'slow-links':
      node.links.typicalMs = event.typicalMs;
      return during(node, event.forMs, () => (node.links.typicalMs = 0.05));
    case 'bad-messages': {
      const { at, how, rate, delayMs, atMost } = event;
      const trouble: MessageTrouble = { to: addressOf(node, event.actor), at, how, rate, delayMs, left: atMost };
      node.messages.troubles = [...node.messages.troubles, trouble];
      return during(node, event.forMs, () => {
        node.messages.troubles = node.messages.troubles.filter((each) => each !== trouble);
      });
    }
    case 'no-watch':
      node.manifests.watched = false;
      node.disturb(event.forMs + 25_000);
      return during(node, event.forMs, () => (node.manifests.watched = true));
    case 'lose-job':
      return traps.failNextJob();
    case 'step-clock':
      return time.stepWallClock(event.byMs);
    case 'apply-fault-plan':
      return node.applyFaults(event.plan);
    case 'exit-container':
      return toContainer(node, event.slot, (choice) => runtime.core.control.exit(choice, event.code));
    case 'vanish-container':
      return toContainer(node, event.slot, (choice) => {
        runtime.core.control.vanish(choice);
        node.statuses.runtimeForgot(choice.uid);
      });
    case 'die-sandbox':
      return toContainer(node, event.slot, (choice) => runtime.core.control.sandboxDie(choice));
    case 'vanish-sandbox':
      return toContainer(node, event.slot, (choice) => {
        runtime.core.control.sandboxVanish(choice);
        node.statuses.runtimeForgot(choice.uid);
      });
    case 'calm-down':
      traps.clear();
      node.clearFaults();
      return void node.mend();
    case 'check-convergence':
      for (const problem of convergenceProblems(node)) complain('all-as-specified', problem);
      return;
    case 'crash-quietly':
      return crashQuietly(node, event);
    case 'check-unchanged':
      return checkUnchanged(node, complain);
    case 'remove-all':
      for (const slot of node.slots.keys()) node.removeManifest(slot);
      return;
    case 'check-nothing-left':
      for (const problem of leftovers(node)) complain('nothing-is-left', problem);
      return;
  }
}

function during(node: SimulatedNode, forMs: number, undo: () => void): void {
  node.disturb(forMs + 15_000);
  node.time.in(forMs, node.world, { label: 'fault ends', run: undo });
}

function addressOf(node: SimulatedNode, actor: string): string {
  if (!actor.startsWith('slot/')) return actor;
  return `pod-worker/${node.slots.get(Number(actor.slice('slot/'.length)))?.uid ?? 'nobody'}`;
}

interface ContainerName {
  readonly pod: string;
  readonly uid: string;
  readonly container: string;
}

/** Applied only to pods whose end state stays the same, and only if the pod has such an object. */
function toContainer(node: SimulatedNode, slot: number, happen: (choice: ContainerName) => void): void {
  const held = node.slots.get(slot);
  if (held === undefined || held.shape.outcome !== 'running') return;
  const [running] = node.runtimeChecker.running(held.uid).filter(({ name }) => isAnApp(held, name));
  if (running === undefined) return;
  const pod = `${podName(slot, held.shape)}-${NODE_NAME}`;
  try {
    happen({ pod, uid: held.uid, container: running.name });
  } catch (error) {
    // The pod keeps running in a dead sandbox: no ready sandbox is left to die.
    if (!(error instanceof RuntimeError)) throw error;
  }
  node.runtimeChecker.recount(held.uid);
}

const isAnApp = ({ shape }: Slot, name: string): boolean =>
  (shape.spec['containers'] as readonly { readonly name: string }[]).some((each) => each.name === name);

function crashQuietly(node: SimulatedNode, { what }: Extract<Event, { do: 'crash-quietly' }>): void {
  const steady = [...node.slots.values()].filter(({ shape }) => !restless.has(shape.outcome));
  const latest = node.statuses.latest;
  const before = steady.flatMap(({ uid }) => {
    const status = latest.get(uid);
    return status === undefined ? [] : [[uid, status] as const];
  });
  // A restarted agent has no record of its earlier reports.
  node.frozen = what.do === 'kill-agent' ? undefined : new Map(before);
  node.changesBefore = new Map(steady.map(({ uid }) => [uid, node.calls.changes.get(uid)?.length ?? 0]));
  play(node, what, () => {});
}

function checkUnchanged(node: SimulatedNode, complain: Complain): void {
  node.frozen = undefined;
  for (const [uid, count] of node.changesBefore) {
    // An ended pod is stopped once more, to be sure that it has ended.
    const done =
      node.calls.changes
        .get(uid)
        ?.slice(count)
        .filter((method) => method !== 'StopPodSandbox') ?? [];
    if (done.length > 0) {
      complain('crash-changes-nothing', `${done.join(', ')} for pod ${uid.slice(0, 8)} although only an actor crashed`);
    }
  }
  for (const problem of convergenceProblems(node)) complain('all-as-specified', problem);
}

const restless = new Set(['crash-looping', 'waiting']);
