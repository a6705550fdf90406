import { isReady } from '../../../actors/status-manager/status-change.ts';
import { assertNever } from '../../../src/kube/text/assert-never.ts';
import { podName } from '../node/pod-shapes.ts';
import type { SimulatedNode, Slot } from '../node/simulated-node.ts';

const ROOT_DIR = '/var/lib/hivelet';
const POD_LOGS = '/var/log/pods';

/** Returns the differences between the node and its manifests, after enough time to settle. */
export function convergenceProblems(node: SimulatedNode): readonly string[] {
  if (node.agent?.ready !== true) return ['the agent is not up'];
  const wanted = new Set([...node.slots.values()].map(({ uid }) => uid));
  const unwanted = [...node.runtimeChecker.podUids].filter((uid) => !wanted.has(uid));
  return [
    ...unwanted.map((uid) => `the runtime holds something of ${uid.slice(0, 8)}, which nobody wants`),
    ...[...node.slots.values()].flatMap((slot) => {
      const problem = podProblem(node, slot);
      return problem === undefined ? [] : [`${podName(slot.slot, slot.shape)} (${slot.uid.slice(0, 8)}) ${problem}`];
    }),
    ...untidied(node, wanted),
  ];
}

/** A container keeps its newest ended instance, and perhaps one more until the next clean-up; a pod as many sandboxes. */
const DEAD_AT_MOST = 2;
/** Each instance has its log and the rotated logs. */
const LOGS_AT_MOST = (DEAD_AT_MOST + 1) * 3;

/** Returns unused objects that still exist after minutes without changes. */
function untidied(node: SimulatedNode, wanted: ReadonlySet<string>): readonly string[] {
  const problems: string[] = [];
  for (const [what, count] of node.runtimeChecker.dead()) {
    if (count > DEAD_AT_MOST) problems.push(`the runtime holds ${count} dead of ${what}`);
  }
  for (const uid of node.files.list(`${ROOT_DIR}/pods`)) {
    if (!wanted.has(uid)) problems.push(`the directory of ${uid.slice(0, 8)}, which nobody wants, is still there`);
  }
  for (const pod of node.files.list(POD_LOGS)) {
    const uid = pod.split('_')[2] ?? '';
    if (!wanted.has(uid)) problems.push(`the logs of ${pod}, which nobody wants, are still there`);
    for (const container of node.files.list(`${POD_LOGS}/${pod}`)) {
      const logs = node.files.list(`${POD_LOGS}/${pod}/${container}`);
      if (logs.length > LOGS_AT_MOST) problems.push(`${pod}/${container} has ${logs.length} logs`);
    }
  }
  return problems;
}

function podProblem(node: SimulatedNode, { uid, shape }: Slot): string | undefined {
  const status = node.statuses.latest.get(uid);
  const { phase = 'unknown' } = status ?? {};
  const running = node.runtimeChecker.running(uid);
  const sandboxes = node.runtimeChecker.readySandboxes(uid).length;
  switch (shape.outcome) {
    case 'running': {
      const missing = containersOf(shape.spec).filter((name) => !running.some((each) => each.name === name));
      if (missing.length > 0) return `does not run ${missing.join(', ')}; it is ${phase} ${JSON.stringify(status)}`;
      if (sandboxes !== 1) return `has ${sandboxes} ready sandboxes`;
      return phase === 'Running' && status !== undefined && isReady(status)
        ? undefined
        : `runs, but is ${phase} ${JSON.stringify(status)}`;
    }
    case 'succeeded':
    case 'failed': {
      const expected = shape.outcome === 'succeeded' ? 'Succeeded' : 'Failed';
      if (running.length + sandboxes > 0) return `has ended, but something of it runs (${phase})`;
      return phase === expected ? undefined : `is ${phase} and not ${expected} ${JSON.stringify(status)}`;
    }
    case 'crash-looping':
      if (sandboxes !== 1) return `has ${sandboxes} ready sandboxes`;
      return phase === 'Running' || phase === 'Pending' ? undefined : `is ${phase}`;
    case 'waiting':
      if (running.length > 0) return 'runs without its image';
      return phase === 'Pending' ? undefined : `is ${phase}`;
    default:
      return assertNever(shape.outcome, 'outcome of a pod');
  }
}

const containersOf = (spec: PodSpecs): readonly string[] =>
  (spec['containers'] as readonly { readonly name: string }[]).map(({ name }) => name);
type PodSpecs = Readonly<Record<string, unknown>>;

/** Returns the remains on a node without wanted pods. */
export function leftovers(node: SimulatedNode): readonly string[] {
  const problems = [...node.runtimeChecker.podUids].map(
    (uid) => `the runtime still holds something of ${uid.slice(0, 8)}`,
  );
  const unfindable = [...node.unfindable];
  for (const directory of [`${ROOT_DIR}/pods`, POD_LOGS]) {
    for (const name of node.files.list(directory))
      if (!unfindable.some((uid) => name.endsWith(uid))) problems.push(`${directory}/${name} is left`);
  }
  for (const path of node.cgroups.values.keys()) if (/\/pod/.test(path)) problems.push(`cgroup ${path} is left`);
  for (const uid of node.statuses.latest.keys()) problems.push(`the status of ${uid.slice(0, 8)} is still kept`);
  for (const { host } of node.agent?.threads ?? []) {
    for (const address of host.addresses('pod-worker')) problems.push(`${address} still lives`);
  }
  return problems;
}
