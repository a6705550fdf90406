import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { own } from '../../src/kube/text/own.ts';
import { dutyOf, followingDuty } from '../health-monitor/client.ts';
import {
  Reflector,
  type FollowingDuty,
  type ReflectorNotice,
  type InitialEvents,
} from '../../src/api/reflector/reflector.ts';
import type { ReflectorInterruption } from '../../src/api/reflector/reflector-state.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { ServiceFacts } from '../../src/pod/cri-config/service-env.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import { apiGatewayClient } from '../api-gateway/client.ts';
import { FollowedObjects, type Follow } from './followed-objects.ts';
import { ListedObjects } from './listed-objects.ts';
import type { ConfigMapContent, ObjectCacheProtocol, ObjectCacheQuestion, SecretContent } from './protocol.ts';
import { readConfigMap, readRuntimeClass, readSecret, readService } from './read-objects.ts';
import { Tokens } from './tokens.ts';
import type { ChangeDetection } from './fetch-strategy.ts';

export interface ObjectCacheDeps {
  readonly strategy: ChangeDetection;
  readonly count: (objects: string) => (what: ReflectorInterruption) => void;
}

/** Shorter than the deadline of callers. */
const CALL_TIMEOUT_MS = 10_000;
const TIDY_EVERY_MS = 60_000;

/** The lists that all pods share, and the duty to follow each. */
const listed = { services: 'follow the services', runtimeclasses: 'follow the runtime classes' };

/** Fetches and watches objects that pods refer to: ConfigMaps, Secrets, Services, RuntimeClasses, tokens. */
export class ObjectCache implements Actor<ObjectCacheProtocol> {
  readonly #context: ActorContext<ObjectCacheProtocol>;
  readonly #configMaps: FollowedObjects<ConfigMapContent>;
  readonly #secrets: FollowedObjects<SecretContent>;
  readonly #services: ListedObjects<ServiceFacts>;
  readonly #runtimeClasses: ListedObjects<{ readonly name: string; readonly handler: string }>;
  readonly #tokens: Tokens;

  constructor(context: ActorContext<ObjectCacheProtocol>, deps: ObjectCacheDeps) {
    this.#context = context;
    const call = apiGatewayClient(context, CALL_TIMEOUT_MS);
    const follow = this.#follower(deps);
    const { strategy } = deps;
    const shared = { strategy, call, follow, context };
    this.#configMaps = new FollowedObjects({
      ...shared,
      resource: 'configmaps',
      kind: 'configmap',
      read: readConfigMap,
    });
    this.#secrets = new FollowedObjects({ ...shared, resource: 'secrets', kind: 'secret', read: readSecret });
    this.#services = new ListedObjects({
      name: 'services',
      path: '/api/v1/services',
      read: readService,
      groupOf: ({ namespace }) => namespace,
      keyOf: ({ name }) => name,
      follow,
      clock: context.clock,
    });
    this.#runtimeClasses = new ListedObjects({
      name: 'runtimeclasses',
      path: '/apis/node.k8s.io/v1/runtimeclasses',
      read: readRuntimeClass,
      groupOf: () => '',
      keyOf: ({ name }) => name,
      follow,
      clock: context.clock,
    });
    this.#tokens = new Tokens(call, context);
  }

  start(): void {
    this.#tidyLater();
  }

  tell(command: ObjectCacheProtocol['command']): void {
    switch (command.type) {
      case 'watch-events':
      case 'watch-ended':
        return this.#received(command);
      case 'api-health-changed':
        if (command.health.state !== 'up') return;
        for (const each of [this.#configMaps, this.#secrets, this.#services, this.#runtimeClasses]) each.serverUp();
        return;
      case 'forget-pod':
        for (const each of [this.#configMaps, this.#secrets, this.#tokens]) each.forgetPod(command.podUid);
        return;
      case 'cleanup-due':
        for (const each of [this.#configMaps, this.#secrets, this.#tokens]) each.tidy();
        return this.#tidyLater();
      default:
        return assertNever(command, 'object cache command');
    }
  }

  ask(question: ObjectCacheQuestion): unknown {
    switch (question.type) {
      case 'config-map':
        return this.#configMaps.ask(question);
      case 'secret':
        return this.#secrets.ask(question);
      case 'services-of-namespace':
        return this.#servicesOf(question);
      case 'runtime-class':
        return this.#runtimeClasses.get('', question.name);
      case 'service-account-token':
        return this.#tokens.ask(question);
      default:
        return assertNever(question, 'object cache question');
    }
  }

  async #servicesOf({ namespace, withinMs }: Extract<ObjectCacheQuestion, { readonly type: 'services-of-namespace' }>) {
    const own = await this.#services.group(namespace, withinMs);
    if (own.type !== 'found' || namespace === 'default') return own;
    const server = await this.#services.get('default', 'kubernetes');
    return server.type === 'found' ? { type: 'found' as const, value: [...own.value, server.value] } : own;
  }

  #received(notice: ReflectorNotice): void {
    const [kind] = notice.watch.split(/[:/]/, 1);
    switch (kind) {
      case 'configmaps':
        return this.#configMaps.received(notice);
      case 'secrets':
        return this.#secrets.received(notice);
      case 'services':
        return this.#services.received(notice);
      case 'runtimeclasses':
        return this.#runtimeClasses.received(notice);
      default:
        throw new Error(`the object cache has opened no watch ${notice.watch}`);
    }
  }

  #tidyLater(): void {
    this.#context.clock.after(TIDY_EVERY_MS, () => this.#context.self.tell({ type: 'cleanup-due' }));
  }

  #follower({ count }: ObjectCacheDeps): Follow {
    const context = this.#context;
    const gateway = context.ref(API_GATEWAY);
    const subscriber = context.self.address;
    const call = apiGatewayClient(context, CALL_TIMEOUT_MS);
    // If the server does not support initial events for one watch, it supports them for none.
    const initialEvents: InitialEvents = { askFrom: 0 };
    // ConfigMaps and Secrets are followed for single pods, and a failure is reported as an event of these pods.
    const following = (name: string): { readonly following?: FollowingDuty } => {
      const work = own(listed, name);
      if (work === undefined) return {};
      const duty = dutyOf(context, { work, follows: 'pods that need them wait or start with what was last seen' });
      return { following: followingDuty(() => duty) };
    };
    return ({ name, changed, ...what }) =>
      new Reflector({
        ...what,
        ...following(name),
        name,
        changed,
        initialEvents,
        call,
        openWatch: (watch, path) => gateway.tell({ type: 'open-watch', watch, path, subscriber }),
        closeWatch: (watch) => gateway.tell({ type: 'close-watch', watch, subscriber }),
        supervise: (work) => context.supervise(work),
        clock: context.clock,
        random: context.random,
        log: context.log,
        count: count(name.split(':', 1)[0] ?? name),
      });
  }
}
