import type { ActorContext, Caller } from '../../src/actor/actor.ts';
import { answerOr, askAgain } from '../../src/actor/messages/answer-or.ts';
import type { AddressOf } from '../../src/actor/messages/message.ts';
import { apiUse, type AgentSettings } from '../../src/agent/settings.ts';
import type { FetchToken } from '../../src/csi/driver-tokens.ts';
import type { Container, Pod } from '../../src/kube/pod.ts';
import { isStaticPod } from '../../src/kube/manifest/static-pod.ts';
import { valuesOf } from '../../src/kube/text/own.ts';
import { PULL_SECRET_LIMITS, type PullSecret } from '../../src/pod/image/image-credentials.ts';
import type { ObjectSource } from '../../src/volumes/plan/object-source.ts';
import { OBJECT_FOLDER } from '../object-folder/protocol.ts';
import { noConfigSources, type ConfigSources, type Lookup } from '../../src/pod/cri-config/config-sources.ts';
import {
  OBJECT_ANSWER_WITHIN_MS,
  OBJECT_CACHE,
  type ConfigMapContent,
  type ObjectAnswer,
  type ObjectsProtocol,
  type ObjectCacheQuestion,
  type SecretContent,
} from './protocol.ts';

/**
 * The actor that answers questions about ConfigMaps, Secrets and the like. `undefined` when the agent has neither an
 * API server nor a directory of objects.
 */
export function objectsAddress(
  settings: Pick<AgentSettings, 'api' | 'objectsDir'>,
): AddressOf<ObjectsProtocol> | undefined {
  const use = apiUse(settings);
  if (use === 'standalone') return undefined;
  return use === 'api' ? OBJECT_CACHE : OBJECT_FOLDER;
}

/** Objects of the API that a pod refers to, fetched through the object cache. Never rejects while the caller lives. */
export interface PodObjects {
  /** All objects that a container's environment refers to. */
  sourcesFor(pod: Pod, container: Container): Promise<ConfigSources>;
  /**
   * The existing secrets among `imagePullSecrets`, and the names of secrets that are unavailable or beyond the size
   * limit.
   */
  pullSecrets(pod: Pod): Promise<{ readonly secrets: readonly PullSecret[]; readonly without: readonly string[] }>;
  /** The runtime handler of a RuntimeClass; `unavailable` carries the reason. */
  runtimeHandler(runtimeClass: string): Promise<ObjectAnswer<{ readonly handler: string }>>;
}

/** Secrets fetched at a time. Fetching stops once the pod's secrets exceed the limit on their total size. */
const SECRETS_AT_ONCE = 8;

/**
 * A static pod starts without services that are not known yet, since the API server itself may be a static pod. The
 * kubelet does not wait at all; it follows the services before it has any pod.
 */
const STATIC_PODS_WAIT_MS = 500;

/** `address`: the object cache, or the actor that answers in its place. */
export function objectCacheClient(
  context: Pick<ActorContext, 'ref'>,
  address: AddressOf<ObjectsProtocol> = OBJECT_CACHE,
): PodObjects {
  const cache = context.ref(address);
  const asked = <T>(question: ObjectCacheQuestion): Promise<ObjectAnswer<T>> =>
    // The question determines the type of the answer; each caller below states that type.
    answerOr(cache.ask(question, { deadlineMs: OBJECT_ANSWER_WITHIN_MS }) as Promise<ObjectAnswer<T>>, (fault) => ({
      type: 'unavailable',
      message: `no answer to ${question.type} from the object cache: ${fault.message}`,
    }));
  return {
    async sourcesFor(pod, container) {
      const { namespace, uid } = pod.metadata;
      const named = referredBy(container);
      const services = asked<never>({
        type: 'services-of-namespace',
        namespace,
        ...(isStaticPod(pod) && { withinMs: STATIC_PODS_WAIT_MS }),
      });
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
    // Environments treat an unknown service like a missing service.
    services: () => (services.type === 'found' ? { type: 'found', value: services.value } : { type: 'missing' }),
  };
}

const lookup = <T>(answer: ObjectAnswer<T>, read: (content: T) => Entries): Lookup<Entries> =>
  answer.type === 'found' ? { type: 'found', value: read(answer.value) } : answer;

const decoded = (data: Entries): Entries =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString('utf8')]));

/** The distinct names of objects in a container's environment. */
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

/** The number of attempts for a question that is lost with an incarnation. */
const TRIES = 3;

/**
 * Objects for volumes, from the object cache or the actor at this address in its place. Repeats questions that are lost
 * with an incarnation. Never rejects while the caller lives.
 */
export function volumeObjectsClient(
  context: Caller,
  address: AddressOf<ObjectsProtocol>,
): Omit<ObjectSource, 'bundle' | 'certificate'> {
  const cache = context.ref(address);
  const asked = <T>(ask: () => Promise<ObjectAnswer<T>>): Promise<ObjectAnswer<T>> =>
    askAgain(ask, { tries: TRIES, lost: ({ message }) => ({ type: 'unavailable', message }) });
  const within = { deadlineMs: OBJECT_ANSWER_WITHIN_MS };
  return {
    async get({ kind, namespace, name }, podUid) {
      const question = { namespace, name, podUid };
      if (kind === 'ConfigMap') {
        const answer = await asked(() => cache.ask({ type: 'config-map', ...question }, within));
        if (answer.type !== 'found') return failedOr(answer);
        const { resourceVersion: version, data, binaryData } = answer.value;
        return { type: 'found', version, data: { data, binaryData } };
      }
      const answer = await asked(() => cache.ask({ type: 'secret', ...question }, within));
      if (answer.type !== 'found') return failedOr(answer);
      const { resourceVersion: version, data } = answer.value;
      return { type: 'found', version, data: { data } };
    },
    async token({ namespace, podName: name, podUid: uid }, { serviceAccount, audience, expirationSeconds }) {
      const audiences = audience === '' ? [] : [audience];
      const pod = { name, uid };
      const answer = await asked(() =>
        cache.ask(
          { type: 'service-account-token', namespace, serviceAccount, audiences, expirationSeconds, pod },
          within,
        ),
      );
      if (answer.type === 'found') return { type: 'found', token: answer.value.token };
      const why = answer.type === 'missing' ? `serviceaccounts "${serviceAccount}" not found` : answer.message;
      return { type: 'failed', message: `failed to fetch token: ${why}` };
    },
  };
}

const failedOr = (answer: Exclude<ObjectAnswer<unknown>, { type: 'found' }>) =>
  answer.type === 'missing' ? answer : ({ type: 'failed', message: answer.message } as const);

/** Tokens for storage drivers, from the object cache, which renews them. Never rejects while the caller lives. */
export function driverTokensClient(context: Caller): FetchToken {
  const cache = context.ref(OBJECT_CACHE);
  return ({ namespace, serviceAccount, podName: name, podUid: uid }, { audience, expirationSeconds }) => {
    const failed = (why: string) => ({ ok: false as const, message: `failed to fetch token: ${why}` });
    return answerOr(
      cache
        .ask(
          {
            type: 'service-account-token',
            namespace,
            serviceAccount,
            audiences: audience === '' ? [] : [audience],
            expirationSeconds,
            pod: { name, uid },
          },
          { deadlineMs: OBJECT_ANSWER_WITHIN_MS },
        )
        .then((answer) => {
          if (answer.type === 'found') return { ok: true as const, value: answer.value };
          return failed(answer.type === 'missing' ? `serviceaccounts "${serviceAccount}" not found` : answer.message);
        }),
      ({ message }) => failed(message),
    );
  };
}
