import type { ActorContext } from '../src/actor/actor.ts';
import { ActorFault } from '../src/actor/fault.ts';
import type { Container, Pod } from '../src/kube/pod.ts';
import { valuesOf } from '../src/kube/own.ts';
import { PULL_SECRET_LIMITS, type PullSecret } from '../src/pod/image-credentials.ts';
import { noConfigSources, type ConfigSources, type Lookup } from '../src/pod/config-sources.ts';
import {
  OBJECT_ANSWER_WITHIN_MS,
  OBJECT_CACHE,
  type ConfigMapContent,
  type ObjectAnswer,
  type ObjectCacheProtocol,
  type ObjectCacheQuestion,
  type SecretContent,
} from './object-cache/protocol.ts';

/** What a pod refers to in the API, fetched through the object cache. Nothing here ever rejects while its caller lives. */
export interface PodObjects {
  /** Everything that a container's environment refers to. */
  sourcesFor(pod: Pod, container: Container): Promise<ConfigSources>;
  /** The secrets among `imagePullSecrets` that there are, and the names of those that cannot be had or are too much. */
  pullSecrets(pod: Pod): Promise<{ readonly secrets: readonly PullSecret[]; readonly without: readonly string[] }>;
  /** The runtime's handler for a class; `unavailable` says why there is none. */
  runtimeHandler(runtimeClass: string): Promise<ObjectAnswer<{ readonly handler: string }>>;
}

/** Secrets are fetched so many at a time, until those of the pod are larger than what is read of them. */
const SECRETS_AT_ONCE = 8;

/** `address`: of the object cache, or of whoever answers in its place. */
export function objectsThroughCache(context: Pick<ActorContext, 'ref'>, address = OBJECT_CACHE): PodObjects {
  const cache = context.ref<ObjectCacheProtocol>(address);
  async function asked<T>(question: ObjectCacheQuestion): Promise<ObjectAnswer<T>> {
    try {
      // Each question's answer is what its asker below says.
      return (await cache.ask(question, { deadlineMs: OBJECT_ANSWER_WITHIN_MS })) as ObjectAnswer<T>;
    } catch (fault) {
      // A dead incarnation has nothing left to decide.
      if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
      return { type: 'unavailable', message: `the answer about ${question.type} was lost: ${fault.message}` };
    }
  }
  return {
    async sourcesFor(pod, container) {
      const { namespace, uid } = pod.metadata;
      const named = referredBy(container);
      const services = asked<never>({ type: 'services-of-namespace', namespace });
      const configMaps = named.configMaps.map(async (name) => {
        const answer = await asked<ConfigMapContent>({ type: 'config-map', namespace, name, podUid: uid });
        return [name, lookup(answer, ({ data }) => data)] as const;
      });
      const secrets = named.secrets.map(async (name) => {
        const answer = await asked<SecretContent>({ type: 'secret', namespace, name, podUid: uid });
        return [name, lookup(answer, ({ data }) => decoded(data))] as const;
      });
      return sourcesFrom({
        services: await services,
        configMaps: new Map(await Promise.all(configMaps)),
        secrets: new Map(await Promise.all(secrets)),
      });
    },
    async pullSecrets({ spec, metadata }) {
      const { namespace, uid } = metadata;
      const names = [...new Set((spec.imagePullSecrets ?? []).flatMap(({ name }) => name || []))];
      const secrets: PullSecret[] = [];
      const without: string[] = [];
      let size = 0;
      for (let next = 0; next < names.length; next += SECRETS_AT_ONCE) {
        const batch = names.slice(next, next + SECRETS_AT_ONCE);
        if (size > PULL_SECRET_LIMITS.bytes) {
          without.push(...batch);
          continue;
        }
        const answers = await Promise.all(
          batch.map((name) => asked<SecretContent>({ type: 'secret', namespace, name, podUid: uid })),
        );
        for (const [index, answer] of answers.entries()) {
          const name = batch[index] ?? '';
          if (answer.type !== 'found') {
            without.push(name);
            continue;
          }
          secrets.push({ ...answer.value, namespace, name });
          for (const text of valuesOf(answer.value.data)) size += text.length;
        }
      }
      return { secrets, without };
    },
    runtimeHandler: (name) => asked({ type: 'runtime-class', name }),
  };
}

type Entries = Readonly<Record<string, string>>;

function sourcesFrom({
  services,
  configMaps,
  secrets,
}: {
  readonly services: ObjectAnswer<never>;
  readonly configMaps: ReadonlyMap<string, Lookup<Entries>>;
  readonly secrets: ReadonlyMap<string, Lookup<Entries>>;
}): ConfigSources {
  return {
    ...noConfigSources,
    configMap: ({ name }) => configMaps.get(name) ?? { type: 'missing' },
    secret: ({ name }) => secrets.get(name) ?? { type: 'missing' },
    // To whoever makes an environment of them, not yet known and gone are the same.
    services: () => (services.type === 'found' ? { type: 'found', value: services.value } : { type: 'missing' }),
  };
}

const lookup = <T>(answer: ObjectAnswer<T>, read: (content: T) => Entries): Lookup<Entries> =>
  answer.type === 'found' ? { type: 'found', value: read(answer.value) } : answer;

const decoded = (data: Entries): Entries =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));

/** The names of objects in a container's environment, each once. */
function referredBy({ env = [], envFrom = [] }: Container): {
  readonly configMaps: readonly string[];
  readonly secrets: readonly string[];
} {
  const configMaps = [
    ...envFrom.map(({ configMapRef }) => configMapRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
  ];
  const secrets = [
    ...envFrom.map(({ secretRef }) => secretRef?.name),
    ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ];
  const named = (names: readonly (string | undefined)[]): readonly string[] => [
    ...new Set(names.filter((name): name is string => name !== undefined && name !== '')),
  ];
  return { configMaps: named(configMaps), secrets: named(secrets) };
}
