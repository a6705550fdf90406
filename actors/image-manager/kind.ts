import { renameSync } from 'node:fs';
import type { Caller } from '../../src/actor/actor.ts';
import { apiUse } from '../../src/agent/settings.ts';
import { apiClient } from '../../src/api/api-client.ts';
import { gatesOf } from '../../src/config/feature-gates.ts';
import { criClient } from '../../src/cri/client.ts';
import { accountsFromApi } from '../../src/images/accounts-from-api.ts';
import { pluginsIn } from '../../src/images/credential-plugin.ts';
import { loginsInFiles } from '../../src/images/logins-in-files.ts';
import type { Verification, VerificationPolicy } from '../../src/images/pull-records.ts';
import { RecordFiles } from '../../src/images/record-files.ts';
import { hostPodFiles } from '../../src/host/pod-files.ts';
import { apiGatewayClient } from '../api-gateway/client.ts';
import { criGatewayClient } from '../cri-gateway/client.ts';
import { CRI_GATEWAY } from '../cri-gateway/protocol.ts';
import { volumeObjectsClient } from '../object-cache/client.ts';
import { OBJECT_CACHE } from '../object-cache/protocol.ts';
import { ImageManager } from './actor.ts';
import { imageManagerMetrics } from './metrics.ts';
import { agentKind, LARGE_MAILBOX } from '../../src/agent/kind.ts';
import type { ImageManagerProtocol } from './protocol.ts';

/** Much less than a pod worker waits for permission to pull. */
const ACCOUNT_WITHIN_MS = 10_000;

/** Records which credentials images were pulled with. */
export const kind = agentKind<ImageManagerProtocol>({
  runsOn: 'volumes',
  standsOn: [CRI_GATEWAY],
  mailbox: LARGE_MAILBOX,
  messageTypes: {
    'begin-pull': true,
    'end-pull': true,
    'pull-intents-recovered': true,
    'may-use-image': true,
    'cleanup-due': true,
  },
  make({ settings, node, faults, metrics: families }) {
    const { config, credentialProviders } = settings;
    const files = { ...(faults?.files(hostPodFiles) ?? hostPodFiles), rename: renameSync };
    const { registryPullQPS, registryBurst, preloadedImagesVerificationAllowlist: allowlist } = config;
    const verification: Verification = {
      policy: gatesOf(config)('KubeletEnsureSecretPulledImages')
        ? // Validation admits no other value.
          (config.imagePullCredentialsVerificationPolicy as VerificationPolicy)
        : 'NeverVerify',
      allowlist,
    };
    const { providers = [], binDir = '' } = credentialProviders ?? {};
    const metrics = imageManagerMetrics(families, providers);
    return (context) =>
      new ImageManager(context, {
        cri: criClient(criGatewayClient(context, config.runtimeRequestTimeout)),
        records: new RecordFiles(files, node.rootDir),
        verification,
        metrics,
        rate: { perSecond: registryPullQPS ?? 0, burst: registryBurst },
        providers: {
          providers,
          run: pluginsIn(binDir),
          ...(apiUse(settings) === 'api' && { accounts: accountsOf(context) }),
        },
        fileLogins: (image) => loginsInFiles(image, node.rootDir),
      });
  },
});

const accountsOf = (context: Caller) =>
  accountsFromApi(apiClient(apiGatewayClient(context, ACCOUNT_WITHIN_MS)), volumeObjectsClient(context, OBJECT_CACHE));
