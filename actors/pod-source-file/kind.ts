import { apiUse } from '../../src/agent/settings.ts';
import { trimEndOf } from '../../src/kube/text/trim-run.ts';
import { eventsOf } from '../event-recorder/client.ts';
import { JOB_POOL } from '../job-pool/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { PodSourceFile } from './actor.ts';
import { savedPodsIn } from './saved-pods.ts';
import { manifestFolder } from './manifest-folder.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { PodSourceFileProtocol } from './protocol.ts';

/** The actor that reads static pods from a directory. */
export const kind = agentKind<PodSourceFileProtocol>({
  runsOn: 'node',
  standsOn: [JOB_POOL, POD_MANAGER],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    listed: true,
    'scan-ended': true,
    'name-changed': true,
    'names-settled': true,
    parsed: true,
    poll: true,
    'send-all': true,
    'retry-due': true,
    'heartbeat-due': true,
  },
  make({ settings }) {
    const { nodeName, rootDir, config } = settings;
    const { staticPodPath, fileCheckFrequency } = config;
    const deps = {
      folder: manifestFolder(staticPodPath.slice(0, 1) + trimEndOf(staticPodPath.slice(1), '/')),
      kept: savedPodsIn(`${rootDir}/last-good-static-pods`),
      nodeName,
      mayReferTo: apiUse(settings) === 'objects-folder' ? ['configmaps', 'secrets'] : [],
      pollEveryMs: fileCheckFrequency,
    };
    return (context) => new PodSourceFile(context, { ...deps, recordEvent: eventsOf(context, settings) });
  },
});
