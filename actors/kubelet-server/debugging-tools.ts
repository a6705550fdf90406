import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PROCESS_CONTROL } from '../process-control/protocol.ts';
import type { ActorContext } from '../../src/actor/actor.ts';
import type { AgentSettings } from '../../src/agent/settings.ts';
import { kubeletVersion } from '../../src/node/object/kubelet-version.ts';
import type { DebuggingTools } from '../../src/serving/answer-debugging.ts';
import { endpoints } from '../../src/serving/endpoints.ts';
import { nodeLogFolder } from '../../src/serving/logs/node-log-folder.ts';
import { ProfileAnswers } from '../../src/serving/profiles.ts';
import { readJournal } from '../../src/serving/logs/system-journal.ts';

const NODE_LOGS = '/var/log';
const ASK_WITHIN = { deadlineMs: 10_000 };
/** Time for a profile on top of its own duration: writing a large heap takes long. */
const PROFILE_TRANSIT_MS = 60_000;
/** Profiles and checkpoints contain the memory of containers and of this agent. */
const OWNER_ONLY = { recursive: true, mode: 0o700 } as const;

/** The tools behind the server's endpoints for maintenance, in a real agent. */
export function debuggingTools(context: Pick<ActorContext, 'ref' | 'clock'>, settings: AgentSettings): DebuggingTools {
  const { rootDir, config, flags = {} } = settings;
  const threads = context.ref(PROCESS_CONTROL);
  const checkpoints = join(rootDir, 'checkpoints');
  const profiles = join(rootDir, 'profiles');
  return {
    logs: {
      folder: nodeLogFolder(NODE_LOGS, [config.podLogsDir]),
      journal: readJournal,
      queries: config.enableSystemLogQuery === true,
      now: () => context.clock.now(),
    },
    checkpoints: { path: checkpoints, make: async () => void (await mkdir(checkpoints, OWNER_ONLY)) },
    profiles: new ProfileAnswers({
      names: () => threads.ask({ type: 'thread-names' }, ASK_WITHIN),
      cpu: (thread, durationMs) =>
        threads.ask({ type: 'cpu-profile', thread, durationMs }, { deadlineMs: durationMs + PROFILE_TRANSIT_MS }),
      heap: (thread, path) => threads.ask({ type: 'heap-snapshot', thread, path }, { deadlineMs: PROFILE_TRANSIT_MS }),
      async makeFolder() {
        await mkdir(profiles, OWNER_ONLY);
        return profiles;
      },
    }),
    status: {
      // Start of the process, not of the thread that answers.
      startedAt: context.clock.now() - process.uptime() * 1_000,
      version: kubeletVersion,
      runtimeVersion: `node ${process.version}`,
      paths: topPaths(),
    },
    flags,
    setVerbosity: (verbosity) => threads.ask({ type: 'set-verbosity', verbosity }, ASK_WITHIN),
  };
}

/** Lists the endpoints by first path segment: `/logs/*` appears as `/logs`. */
const topPaths = (): readonly string[] =>
  [...new Set(endpoints.map(({ path }) => `/${path.split('/')[1] ?? ''}`))].toSorted();
