import { ProbeManager } from '../../../actors/probe-manager/actor.ts';
import { probeMetrics } from '../../../actors/probe-manager/metrics.ts';
import type {
  ProbedContainer,
  ProbeManagerProtocol,
  ProbeResult,
  ProbeSpec,
} from '../../../actors/probe-manager/protocol.ts';
import { ResultsOnDisk } from '../../../actors/probe-manager/results-on-disk.ts';
import type { EventToRecord } from '../../../src/kube/event.ts';
import { containerId, podUid } from '../../../src/kube/ids.ts';
import type { ProbeOutcome } from '../../../src/probing/probe-outcome.ts';
import type { ProbeRequest } from '../../../src/probing/run-probe.ts';
import { MetricFamilies } from '../../../src/metrics/metric-families.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { FakePodFiles } from '../../support/fake-pod-files.ts';

export const BORN = 1_000_000_000_000;
const UID = podUid('uid-1');

export const spec = (kind: ProbeSpec['kind'], parts: Partial<ProbeSpec> = {}): ProbeSpec => ({
  kind,
  target: { type: 'exec', command: [kind] },
  initialDelaySeconds: 0,
  periodSeconds: 10,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
  ...parts,
});

export const probed = (
  id: string,
  probes: readonly ProbeSpec[],
  parts: Partial<ProbedContainer> = {},
): ProbedContainer => ({
  id: containerId(id),
  name: 'main',
  fieldPath: 'spec.containers{main}',
  startedAt: BORN,
  probes,
  verdicts: {},
  ...parts,
});

/** The outcome of a probe, by its command. Without an outcome the probe runs until the test ends it. */
export type Answers = Record<string, ProbeOutcome['result'] | 'hangs'>;

/** A probe manager whose probes the test answers, on a clock that the test drives. */
export async function probeManager(answers: Answers = {}, files = new FakePodFiles()) {
  const runs: string[] = [];
  const events: EventToRecord[] = [];
  const families = new MetricFamilies();
  const metrics = probeMetrics(families);
  const hanging: ((outcome: ProbeOutcome) => void)[] = [];
  const runProbe = ({ target, containerId: id }: ProbeRequest): Promise<ProbeOutcome> => {
    const what = target.type === 'exec' ? target.command.join(' ') : target.type;
    runs.push(`${what} ${id}`);
    const result = answers[what] ?? 'success';
    if (result === 'hangs') return new Promise((resolve) => void hanging.push(resolve));
    return Promise.resolve({ result, output: 'as it is' });
  };
  const actor = await actorUnderTest<ProbeManagerProtocol>({
    address: 'probe-manager',
    startMs: BORN,
    make: (context) => {
      metrics.forgetAll();
      return new ProbeManager(context, {
        runProbe,
        results: new ResultsOnDisk({ files, rootDir: '/root' }),
        metrics,
        recordEvent: (event) => void events.push(event),
        podThreads: ['here'],
      });
    },
    others: { [`pod-worker/${UID}`]: () => undefined },
  });
  return {
    ...actor,
    answers,
    files,
    families,
    hanging,
    runs: () => runs.splice(0),
    events: () => events.splice(0).map(({ reason, message }) => `${reason}: ${message}`),
    watch: (...containers: readonly ProbedContainer[]) =>
      actor.tell({ type: 'probe-pod', podUid: UID, name: 'web', namespace: 'shop', containers }),
    forget: () => actor.tell({ type: 'forget-pod', podUid: UID }),
    results: () => actor.ask({ type: 'results-of-pod', podUid: UID }),
    verdicts: () =>
      actor.take(`pod-worker/${UID}`).flatMap((command) => {
        if (command.type !== 'probe-result') return [];
        // A command of this type is a ProbeResult.
        const { containerId: id, kind, verdict } = command as ProbeResult;
        return [`${kind} ${id} ${verdict}`];
      }),
  };
}
