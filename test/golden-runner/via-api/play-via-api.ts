import { join } from 'node:path';
import type { Profile } from '../../../src/agent/settings.ts';
import { serveEmbeddedRuntime } from '../../../src/embedded/runtime/serve/serve.ts';
import { AT_ONCE, groupLives } from '../../lifecycle/live/group-lives.ts';
import { folderFor, LiveNode } from '../../lifecycle/live/live-node.ts';
import { type ProxiedCall, proxyCalls, recorded } from '../../lifecycle/live/proxy-calls.ts';
import { CallRecorder, ownersIn } from '../../lifecycle/record-calls.ts';
import type { Scenario } from '../../lifecycle/scenario.ts';
import type { FoundCase } from '../find-cases.ts';
import { readScenario } from '../lifecycle-case.ts';
import { MalformedCase } from '../malformed-case.ts';
import { type CaseOutcome, judgedLife, notPlayed } from '../run-case.ts';
import type { ApiOfLives } from './api-of-lives.ts';

export interface ViaApiOptions {
  readonly server: ApiOfLives;
  readonly profile?: Profile | undefined;
  /** Called with each outcome once it is known. */
  readonly report: (outcome: CaseOutcome) => void;
}

/**
 * Plays lives in real time: an agent process, the scripted embedded runtime on its own socket, and an API server over the
 * network. Lives with one configuration share an agent.
 */
export async function playViaApi(cases: readonly FoundCase[], options: ViaApiOptions): Promise<void> {
  const { report } = options;
  const scenarios: Scenario[] = [];
  for (const found of cases) {
    try {
      scenarios.push(readScenario(found.path));
    } catch (error) {
      if (!(error instanceof MalformedCase)) throw error;
      report(notPlayed(found, error));
    }
  }
  // The last of a static pod may be seen when the next agent removes its mirror pod.
  const pods = new Set(scenarios.flatMap(({ expected }) => Object.keys(expected.status)));
  for (const [, group] of groupLives(scenarios)) {
    const waiting = [...group];
    try {
      await playGroup({ waiting, group, pods }, options);
    } catch (error) {
      for (const { name } of waiting) report(notPlayed({ name, kind: 'lifecycle' }, error));
    }
  }
}

interface Group {
  readonly group: readonly Scenario[];
  /** Each scenario is taken from here when it begins. */
  readonly waiting: Scenario[];
  /** The pods of all scenarios. */
  readonly pods: ReadonlySet<string>;
}

async function playGroup({ waiting, group, pods }: Group, { server, profile, report }: ViaApiOptions): Promise<void> {
  await using ends = new AsyncDisposableStack();
  const folder = await folderFor(group);
  ends.defer(() => folder.discard());
  const runtime = await serveEmbeddedRuntime({
    socketPath: join(folder.dir, 'runtime.sock'),
    script: scriptOfAll(group),
    // The recorded runtime had no stream of events.
    events: 'off',
  });
  ends.defer(() => runtime.close());
  const owners = ownersIn(() => runtime.core);
  const calls = new CallRecorder<ProxiedCall>({ owners, now: () => performance.now(), changed: () => {} });
  const listen = join(folder.dir, 'cri.sock');
  const proxy = await proxyCalls({ listen, runtime: runtime.socketPath }, (call, passOn) =>
    recorded(call, calls, { answer: () => passOn(call.request) }),
  );
  ends.defer(() => proxy.close());
  const node = await LiveNode.start(
    {
      folder,
      kubeconfig: server.agentKubeconfig,
      api: server.api,
      endpoint: `unix://${listen}`,
      calls,
      control: runtime.core.control,
      runtime: 'scripted',
      profile,
      others: pods,
    },
    group,
  );
  ends.defer(() => node.stop());
  const playSome = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const played = await node.play(next);
      report({ name: next.name, kind: 'lifecycle', ...judgedLife(next, played), trace: [] });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, playSome));
  await node.untilEmpty();
}

type Section = Readonly<Record<string, unknown>>;

/** Scenarios are played beside others, so their pods and images have names of their own. */
function scriptOfAll(scenarios: readonly Scenario[]): Readonly<Record<string, Section>> {
  // Scripts were checked when the cases were read.
  const scripts = scenarios.map(({ script }) => (script ?? {}) as Readonly<Record<string, Section>>);
  const sections = new Set(scripts.flatMap((script) => Object.keys(script)));
  return Object.fromEntries(
    [...sections].map((name) => [name, Object.assign({}, ...scripts.map((script) => script[name])) as Section]),
  );
}
