import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { problemsOf, type Played } from '../lifecycle/judge-scenario.ts';
import { libertiesFor, mayGoEarlier } from '../lifecycle/liberties.ts';
import { playScenario } from '../lifecycle/lifecycle-node.ts';
import type { RecordedCall } from '../lifecycle/record-calls.ts';
import type { Scenario, Span, StatusEntry } from '../lifecycle/scenario.ts';
import { readCriCase } from './cri-case.ts';
import { differencesOf } from './judge-cri-case.ts';
import { readScenario } from './lifecycle-case.ts';
import { type CriPlayed, playCriCase } from './play-cri-case.ts';
import type { SeenRequest } from './record-requests.ts';

/** Each rule of the runner, with a wrong agent or a wrong recording that the rule must refuse. */

const copies = join(import.meta.dirname, '../golden');
const LATE_MS = 60_000;

interface Life {
  readonly scenario: Scenario;
  readonly played: Played;
}

interface Wrong {
  readonly what: string;
  readonly name: string;
  /** Makes the life wrong, in place or as a copy. */
  readonly wrong: (life: Life) => Life;
  readonly problem: RegExp;
}

const entriesOf = ({ played }: Life, pod: string): StatusEntry[] => played.objects.history(pod).entries;

const changed =
  (change: (life: Life, pod: string) => void) =>
  (life: Life): Life => {
    change(life, Object.keys(life.scenario.expected.status)[0] ?? '');
    return life;
  };

const withCalls =
  (change: (calls: readonly RecordedCall[]) => readonly RecordedCall[]) =>
  ({ scenario, played }: Life): Life => ({ scenario, played: { ...played, calls: change(played.calls) } });

const changeCall = (method: string, change: Partial<RecordedCall> | ((call: RecordedCall) => Partial<RecordedCall>)) =>
  withCalls((calls) => {
    const last = calls.findLast((call) => call.method === method);
    return calls.map((call) =>
      call === last ? { ...call, ...(typeof change === 'function' ? change(call) : change) } : call,
    );
  });

const withTiming =
  (timing: NonNullable<Scenario['expected']['timing']>) =>
  ({ scenario, played }: Life): Life => ({
    scenario: { ...scenario, expected: { ...scenario.expected, timing } },
    played,
  });

const withEvent = (event: { readonly type?: string; readonly reason?: string; readonly field?: string }) =>
  changed(({ played }, pod) => {
    const started = [...played.objects.events.values()].find(({ reason }) => reason === 'Started');
    if (started === undefined) throw new Error('no container was started');
    played.objects.events.set('made-up', { ...started, pod, ...event });
  });

/** The same status with the container ready, seen at the same time. */
function withReady(entry: StatusEntry, container: string, seenAt: Map<StatusEntry, number>): StatusEntry {
  const containers = { ...entry.containers, [container]: { state: 'running', ready: true, started: true } };
  const ready = { ...entry, containers };
  seenAt.set(ready, seenAt.get(entry) ?? 0);
  return ready;
}

const LONG: readonly Span[] = [[40, 41]];

describe('an agent that lives otherwise than recorded is refused', () => {
  it.each<Wrong>([
    {
      what: 'a status that comes late',
      name: 'never-exit1',
      wrong: changed(({ played }, pod) => {
        const { seenAt } = played.objects;
        const last = played.objects.history(pod).entries.at(-1);
        if (last !== undefined) seenAt.set(last, (seenAt.get(last) ?? 0) + LATE_MS);
      }),
      problem: /status \d is late/,
    },
    {
      what: 'a status of a static pod that comes two seconds late',
      name: 'static-create-delete',
      wrong: changed(({ played }, pod) => {
        const [first] = played.objects.history(pod).entries;
        const { seenAt } = played.objects;
        if (first !== undefined) seenAt.set(first, (seenAt.get(first) ?? 0) + 1_900);
      }),
      problem: /status 0 is late/,
    },
    {
      what: 'a status that never comes',
      name: 'never-exit1',
      wrong: changed((life, pod) => {
        const entries = entriesOf(life, pod);
        const at = entries.findIndex(({ phase }) => phase === 'Running');
        entries.splice(at, 1);
      }),
      problem: /does not fit/,
    },
    {
      what: 'a last status that is never left',
      name: 'always-exit0',
      wrong: changed((life, pod) => {
        entriesOf(life, pod).push({ phase: 'Failed' });
      }),
      problem: /does not fit/,
    },
    {
      what: 'a container that is ready while its hook runs',
      name: 'poststart-slow-blocks-next',
      wrong: changed((life, pod) => {
        const { calls, objects } = life.played;
        const hook = calls.find(({ method }) => method === 'ExecSync');
        const up = entriesOf(life, pod).find(({ phase }) => phase === 'Running');
        if (hook === undefined || up === undefined) throw new Error('no hook ran');
        objects.seenAt.set(up, (hook.began + (hook.ended ?? 0)) / 2);
        const { container = '' } = hook;
        entriesOf(life, pod)[entriesOf(life, pod).indexOf(up)] = withReady(up, container, objects.seenAt);
      }),
      problem: /is ready during its postStart hook/,
    },
    {
      what: 'readiness lost before the agent is killed',
      name: 'kubelet-restart-running-ready-kept',
      wrong: changed(({ played }, pod) => {
        const { entries } = played.objects.history(pod);
        const up = entries.findLast(({ phase }) => phase === 'Running');
        if (up === undefined) throw new Error('it never ran');
        const unready = { ...up, conditions: { ...up.conditions, Ready: 'False', ContainersReady: 'False' } };
        const at = entries.indexOf(up);
        played.objects.seenAt.set(unready, played.objects.seenAt.get(up) ?? 0);
        entries.splice(at + 1, 0, unready, { ...up });
      }),
      problem: /does not fit/,
    },
    {
      what: 'a call that comes late',
      name: 'never-exit1',
      wrong: changeCall('StartContainer', ({ began }) => ({ began: began + LATE_MS })),
      problem: /call \d is late/,
    },
    {
      what: 'a call that takes long',
      name: 'delete-term-ignored',
      wrong: changeCall('StopContainer', ({ ended = 0 }) => ({ ended: ended + LATE_MS })),
      problem: /call \d is late: .* took/,
    },
    {
      what: 'another grace period',
      name: 'delete-term-ignored',
      wrong: changeCall('StopContainer', { text: 'StopContainer main#0 grace=1' }),
      problem: /was not to come/,
    },
    {
      what: 'a container that is not removed',
      name: 'onfailure-exit3-then0',
      wrong: withCalls((calls) => calls.filter(({ method }) => method !== 'RemoveContainer')),
      problem: /not removed/,
    },
    {
      what: 'a probe that begins late',
      name: 'startup-then-readiness',
      wrong: ({ scenario, played }) => ({
        scenario,
        played: { ...played, probes: (played.probes ?? []).map((run) => ({ ...run, began: run.began + LATE_MS })) },
      }),
      problem: /to the first/,
    },
    {
      what: 'an event of another reason',
      name: 'never-exit1',
      wrong: withEvent({ reason: 'Killing' }),
      problem: /not to come/,
    },
    {
      what: 'an event about another container',
      name: 'never-exit1',
      wrong: withEvent({ field: 'spec.containers{other}' }),
      problem: /not to come/,
    },
    {
      what: 'an event of another type',
      name: 'never-exit1',
      wrong: withEvent({ type: 'Warning' }),
      problem: /not to come/,
    },
    {
      what: 'an event that never comes',
      name: 'never-exit1',
      wrong: changed(({ played }) => {
        for (const [uid, { reason }] of played.objects.events)
          if (reason === 'Started') played.objects.events.delete(uid);
      }),
      problem: /missing/,
    },
    {
      what: 'a status of a pod that is not recorded',
      name: 'never-exit1',
      wrong: changed(({ played }) => {
        played.objects.history('another').entries.push({ phase: 'Pending' });
      }),
      problem: /another: no pod was to appear/,
    },
    {
      what: 'a call for a pod that is not recorded',
      name: 'never-exit1',
      wrong: withCalls((calls) => [...calls, ...calls.slice(0, 1).map((call) => ({ ...call, pod: 'another' }))]),
      problem: /another: no call was to come/,
    },
    {
      what: 'an event about a pod that is not recorded',
      name: 'never-exit1',
      wrong: changed(({ played }) => {
        const [event] = played.objects.events.values();
        if (event !== undefined) played.objects.events.set('made-up', { ...event, pod: 'another' });
      }),
      problem: /another: no event was to come/,
    },
    {
      what: 'a deletion that ends before its grace period',
      name: 'delete-term-ignored',
      wrong: changed(({ played }, pod) => {
        played.objects.history(pod).goneAt = (played.deletedAt[0] ?? 0) + 100;
      }),
      problem: /from delete to gone/,
    },
    {
      what: 'a quick deletion after a restart of the agent that did not delay it',
      name: 'kubelet-restart-succeeded-pod-then-delete',
      wrong: withTiming({ deleteToGone: { 'kubelet-restart-succeeded-pod-then-delete': [40, 41] } }),
      problem: /from delete to gone/,
    },
    {
      what: 'a quick restart before the agent is killed',
      name: 'kubelet-restart-in-crash-backoff',
      wrong: withTiming({ startToStart: { 'kubelet-restart-in-crash-backoff/main': LONG } }),
      problem: /the 1\. delay is/,
    },
    {
      what: 'a quick restart in place of a static pod',
      name: 'static-fixed-uid-image',
      wrong: withTiming({ startToStart: { 'static-fixed-uid-image-life-node/main': LONG } }),
      problem: /the 1\. delay is/,
    },
  ])('$what', async ({ name, wrong, problem }) => {
    const folder = name === 'static-fixed-uid-image' ? 'invented' : 'lifecycle';
    const scenario = readScenario(join(copies, folder, `${name}.json`));
    const played = await playScenario(scenario);
    expect(problemsOf(scenario, played)).toEqual([]);
    const life = wrong({ scenario, played });
    expect(problemsOf(life.scenario, life.played).join('\n')).toMatch(problem);
  });
});

describe('a case whose manifests name no namespace', () => {
  it.each(['never-exit1', 'static-create-delete'])('lives in the default namespace: %s', async (name) => {
    const scenario = readScenario(join(copies, 'lifecycle', `${name}.json`));
    const bare = JSON.parse(
      JSON.stringify(scenario).replaceAll('"namespace":"life"', '"labels":{}').replaceAll('_life(', '_default('),
    ) as Scenario;
    const played = await playScenario(bare);
    expect(problemsOf(bare, played)).toEqual([]);
    const namespaces = Array.from(
      played.objects.pods.values(),
      ({ newest }) => newest?.metadata.namespace ?? 'default',
    );
    expect(new Set(namespaces)).toEqual(new Set(['default']));
  });
});

describe('a deletion may be done earlier than recorded', () => {
  const hook = { name: 'main', lifecycle: { postStart: { exec: { command: ['hook-post'] } } } };
  const call = (method: string, text: string, began: number, ended: number): RecordedCall => ({
    pod: 'a',
    method,
    container: 'main',
    text,
    began,
    ended,
  });
  const started = call('StartContainer', 'StartContainer main#0', 0, 1);
  const hooked = call('ExecSync', 'ExecSync main#0 "hook-post"', 1, 10);
  it.each<{ what: string; container: object; at: number; graces: readonly (number | undefined)[]; isEarlier: boolean }>(
    [
      { what: 'of a pod whose hook is under way', container: hook, at: 5, graces: [undefined], isEarlier: true },
      { what: 'of a pod whose hook has returned', container: hook, at: 20, graces: [undefined], isEarlier: false },
      { what: 'that is shortened', container: { name: 'main' }, at: 20, graces: [undefined, 3], isEarlier: true },
      { what: 'that is lengthened', container: { name: 'main' }, at: 20, graces: [3, 30], isEarlier: false },
      { what: 'that is repeated', container: { name: 'main' }, at: 20, graces: [3, 3], isEarlier: false },
    ],
  )('$what: $isEarlier', ({ container, at, graces, isEarlier }) => {
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [container] } };
    const scenario: Scenario = {
      name: 'a',
      topic: '',
      kubelet: {},
      script: {},
      manifest: [pod],
      actions: graces.map((grace) => ({ delete: 'a', ...(grace !== undefined && { grace }) })),
      expected: { status: {}, calls: {}, events: {} },
    };
    const liberties = libertiesFor(scenario, 'a', { calls: [started, hooked], deletedAt: [at] });
    expect(mayGoEarlier(liberties)).toBe(isEarlier);
  });
});

interface WrongRequests {
  readonly what: string;
  readonly name: string;
  readonly wrong: (played: CriPlayed) => CriPlayed;
  readonly where: RegExp;
}

const withRequests =
  (change: (requests: readonly SeenRequest[]) => readonly SeenRequest[]) =>
  (played: CriPlayed): CriPlayed => ({ ...played, requests: change(played.requests) });

describe('an agent that makes other requests than recorded is refused', () => {
  it.each<WrongRequests>([
    {
      what: 'a request too many',
      name: 'env-key-refs',
      wrong: withRequests((requests) => [
        ...requests,
        ...requests.slice(-1).map((each) => ({ ...each, method: 'StopContainer', more: ' timeout 30' })),
      ]),
      where: /^sequence/,
    },
    {
      what: 'a request too few',
      name: 'env-key-refs',
      wrong: withRequests((requests) => requests.slice(0, -1)),
      where: /^sequence/,
    },
    {
      what: 'a pull of an image that is there',
      name: 'env-key-refs',
      wrong: withRequests((requests) => [
        ...requests,
        ...requests.filter(({ method }) => method === 'ImageStatus').map((each) => ({ ...each, method: 'PullImage' })),
      ]),
      where: /^sequence/,
    },
    {
      what: 'another sandbox',
      name: 'env-key-refs',
      wrong: withRequests((requests) =>
        requests.map((each) => (each.method === 'RunPodSandbox' ? { ...each, form: { config: {} } } : each)),
      ),
      where: /^runPodSandbox/,
    },
    {
      what: 'stops in another order',
      name: 'hooks-sleep-http',
      wrong: (played) => ({
        ...played,
        teardown: played.teardown.filter(({ method }) => method !== 'StopContainer'),
      }),
      where: /^teardown/,
    },
    {
      what: 'an event too many',
      name: 'pull-not-found',
      wrong: (played) => ({
        ...played,
        events: [...played.events, { type: 'Warning', reason: 'Odd', message: 'odd' }],
      }),
      where: /^events/,
    },
    {
      what: 'a file with another mode',
      name: 'vol-configmap',
      wrong: (played) => ({
        ...played,
        files: (played.files ?? []).map((file) => ({ ...(file as object), mode: '0777' }) as never),
      }),
      where: /^files/,
    },
    {
      what: 'a pod that is gone',
      name: 'env-key-refs',
      wrong: (played) => ({ ...played, pod: undefined }),
      where: /^status/,
    },
  ])('$what', async ({ name, wrong, where }) => {
    const golden = readCriCase(join(copies, 'cri', name));
    const played = await playCriCase(golden);
    expect(differencesOf(golden, played)).toEqual([]);
    const places = differencesOf(golden, wrong(played)).map((difference) => difference.where);
    expect(places.find((place) => where.test(place))).toBeDefined();
  });
});
