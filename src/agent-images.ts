import { readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { accountsThroughApi } from './images/accounts-from-api.ts';
import { apiThroughGateway } from '../actors/api-gateway/client.ts';
import { criThroughGateway, type Caller } from '../actors/cri-gateway/client.ts';
import { OBJECT_CACHE } from '../actors/object-cache/protocol.ts';
import { volumeObjectsThroughCache } from '../actors/volume-objects-through-cache.ts';
import type { ImageManagerProtocol } from '../actors/image-manager/protocol.ts';
import type { MetricFamilies } from './actor/metric-families.ts';
import { apiUse } from './agent/api-settings.ts';
import { apiClient } from './api/api-client.ts';
import { actorKind, type ActorKind } from './actor/actor.ts';
import { largeMailbox, type KindConfig } from './agent/kind.ts';
import { gatesOf } from './config/feature-gates.ts';
import { criClient } from './cri/client.ts';
import { pluginsIn } from './images/credential-plugin.ts';
import type { Verification, VerificationPolicy } from './images/pull-records.ts';
import { RecordFiles } from './images/record-files.ts';
import { hostPodFiles } from './node/pod-files.ts';
import { loginsInFile, type RegistryLogin } from './pod/image-credentials.ts';

/** Well within what a worker waits for its leave to pull. */
const API_CALL_MS = 10_000;

/** The actor that knows by whose leave images were pulled. */
export async function imageManagerKind(
  { settings, node, faults }: KindConfig,
  families: MetricFamilies,
): Promise<ActorKind> {
  const { ImageManager } = await import('../actors/image-manager/actor.ts');
  const { config, credentialProviders } = settings;
  const files = { ...(faults?.files(hostPodFiles) ?? hostPodFiles), rename: renameSync };
  const { registryPullQPS, registryBurst, preloadedImagesVerificationAllowlist: allowlist } = config;
  const verification: Verification = {
    policy: gatesOf(config)('KubeletEnsureSecretPulledImages')
      ? (config.imagePullCredentialsVerificationPolicy as VerificationPolicy)
      : 'NeverVerify',
    allowlist,
  };
  const { providers = [], binDir = '' } = credentialProviders ?? {};
  const { imageManagerMetrics } = await import('../actors/image-manager/metrics.ts');
  const metrics = imageManagerMetrics(families, providers);
  return actorKind<ImageManagerProtocol>({
    mailbox: largeMailbox,
    make: (context) =>
      new ImageManager(context, {
        cri: criClient(criThroughGateway(context, config.runtimeRequestTimeout)),
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
      }),
  });
}

const accountsOf = (context: Caller) =>
  accountsThroughApi(
    apiClient(apiThroughGateway(context, API_CALL_MS)),
    volumeObjectsThroughCache(context, OBJECT_CACHE),
  );

/** Where container tools keep logins: the agent's own folder first, then this user's. Read anew each time: they change. */
function loginsInFiles(image: string, rootDir: string): readonly RegistryLogin[] {
  const home = homedir();
  const now = [join(rootDir, 'config.json'), join(home, '.docker/config.json'), '/.docker/config.json'];
  const formerly = [join(rootDir, '.dockercfg'), join(home, '.dockercfg'), '/.dockercfg'];
  return [...now, ...formerly].flatMap((path) => {
    const text = textOf(path);
    return text === undefined ? [] : loginsInFile(image, text);
  });
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
