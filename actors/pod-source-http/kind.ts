import { JOB_POOL } from '../job-pool/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import { PodSourceHttp } from './actor.ts';
import { fetchManifest } from './fetch-manifest.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { PodSourceHttpProtocol } from './protocol.ts';

/** The actor that reads static pods from a URL. */
export const kind = agentKind<PodSourceHttpProtocol>({
  runsOn: 'node',
  standsOn: [JOB_POOL, POD_MANAGER],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    fetched: true,
    parsed: true,
    poll: true,
    'send-all': true,
    'heartbeat-due': true,
  },
  make({ settings: { nodeName, config } }) {
    const { staticPodURL: url, staticPodURLHeader, httpCheckFrequency } = config;
    return (context) =>
      new PodSourceHttp(context, {
        url,
        fetch: fetchManifest(url, staticPodURLHeader, context.clock),
        nodeName,
        pollEveryMs: httpCheckFrequency,
      });
  },
});
