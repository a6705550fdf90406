import { podThreadNames } from '../../src/agent/tree.ts';
import { criClient } from '../../src/cri/client.ts';
import { kubeletMinorVersion } from '../../src/node/object/kubelet-version.ts';
import { hostPodFiles } from '../../src/host/pod-files.ts';
import { proberOf } from '../../src/probing/run-probe.ts';
import { criGatewayClient } from '../cri-gateway/client.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { eventsOf } from '../event-recorder/client.ts';
import { ProbeManager } from './actor.ts';
import { probeMetrics } from './metrics.ts';
import { ResultsOnDisk } from './results-on-disk.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { ProbeManagerProtocol } from './protocol.ts';

/** The actor that probes running containers. */
export const kind = agentKind<ProbeManagerProtocol>({
  runsOn: 'probes',
  standsOn: [CRI_GATEWAY],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'forget-others': true,
    'forget-pod': true,
    'probe-pod': true,
    'results-of-pod': true,
  },
  async make({ settings, node, tree, faults, metrics }) {
    const files = faults?.files(hostPodFiles) ?? hostPodFiles;
    const figures = probeMetrics(metrics);
    return (context) => {
      // The counts start at zero with each incarnation, as its probes do.
      figures.forgetAll();
      const { clock } = context;
      const cri = criClient(criGatewayClient(context, settings.config.runtimeRequestTimeout));
      return new ProbeManager(context, {
        runProbe: proberOf({ cri, clock, userAgent: `kube-probe/${kubeletMinorVersion}` }),
        results: new ResultsOnDisk({ files, rootDir: node.rootDir }),
        metrics: figures,
        recordEvent: eventsOf(context, settings),
        podThreads: podThreadNames(tree),
      });
    };
  },
});
