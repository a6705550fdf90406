import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { ParsedPodList } from '../../src/jobs/parse-pod-list.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { withConfigSeen } from '../../src/kube/manifest/static-pod.ts';
import type { PodSourceChange } from '../../src/pod/source/pod-source-change.ts';
import { PodSourceSession, SHOW_LIFE_EVERY_MS } from '../../src/pod/source/pod-source-session.ts';
import { JOB_POOL } from '../job-pool/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import type { FetchManifest } from './fetch-manifest.ts';
import type { FetchedManifest, PodSourceHttpProtocol } from './protocol.ts';
import { HttpPods } from './http-pods.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface PodSourceHttpDeps {
  /** `staticPodURL`; empty when there is none. */
  readonly url: string;
  readonly fetch: FetchManifest;
  readonly nodeName: string;
  /** `httpCheckFrequency`. */
  readonly pollEveryMs: number;
}

const PARSE_WITHIN_MS = 60_000;

/** Reads static pods from a URL. */
export class PodSourceHttp implements Actor<PodSourceHttpProtocol> {
  readonly #context: ActorContext<PodSourceHttpProtocol>;
  readonly #reading: Duty;
  readonly #deps: PodSourceHttpDeps;
  readonly #pods = new HttpPods();
  readonly #session: PodSourceSession;
  #complete = false;
  /** The body of the last usable answer. */
  #body: string | undefined;
  #lastProblem = '';

  constructor(context: ActorContext<PodSourceHttpProtocol>, deps: PodSourceHttpDeps) {
    this.#context = context;
    this.#reading = dutyOf(context, {
      work: 'read static pods from their URL',
      follows: 'the pods read before keep running',
      isLoggedByActor: true,
    });
    this.#deps = deps;
    this.#session = new PodSourceSession('http', context.incarnation);
  }

  start(): void {
    if (this.#deps.url === '') return;
    this.#poll();
    this.#showLifeLater();
  }

  tell(command: PodSourceHttpProtocol['command']): void {
    switch (command.type) {
      case 'send-all':
        this.#session.begin();
        return this.#tell({ set: this.#pods.all(), gone: [] });
      case 'heartbeat-due':
        this.#showLifeLater();
        return this.#say(this.#session.showLife());
      case 'poll':
        return this.#poll();
      case 'fetched':
        return this.#fetched(command.manifest);
      case 'parsed':
        return this.#parsed(command.body, command.list);
      default:
        return assertNever(command, 'HTTP source command');
    }
  }

  /** The next request starts when this one is over: a slow server never gets two at once. */
  #poll(): void {
    const { self } = this.#context;
    this.#context.supervise(this.#deps.fetch().then((manifest) => self.tell({ type: 'fetched', manifest })));
  }

  #pollLater(): void {
    this.#context.clock.after(this.#deps.pollEveryMs, () => this.#context.self.tell({ type: 'poll' }));
  }

  #fetched(manifest: FetchedManifest): void {
    const { url, nodeName } = this.#deps;
    if (!manifest.ok) {
      this.#reportProblem(manifest.problem);
      return this.#pollLater();
    }
    const { body } = manifest;
    if (body === this.#body) return this.#pollLater();
    // As in the kubelet: an empty body means no pods, and is still an error.
    if (body === '') {
      this.#use(body, []);
      this.#reportProblem(`${url} returned an empty body`);
      return this.#pollLater();
    }
    const { self } = this.#context;
    const parsing = this.#context
      .ref(JOB_POOL)
      .ask({ type: 'parse-pod-list', list: { url, nodeName, body } }, { deadlineMs: PARSE_WITHIN_MS })
      .catch((reason: unknown) => ({ ok: false, problem: String(reason) }) as const)
      .then((outcome) => self.tell({ type: 'parsed', body, list: outcome.ok ? outcome.value : outcome }));
    this.#context.supervise(parsing);
  }

  #parsed(body: string, list: ParsedPodList): void {
    if (list.ok) {
      this.#reportProblem('');
      const seen = new Date(this.#context.clock.now()).toISOString();
      this.#use(
        body,
        list.pods.map((pod) => withConfigSeen(pod, seen)),
      );
    } else this.#reportProblem(list.problem);
    this.#pollLater();
  }

  #use(body: string, pods: Parameters<HttpPods['replace']>[0]): void {
    this.#body = body;
    this.#complete = true;
    this.#tell(this.#pods.replace(pods));
  }

  #tell(changes: ReturnType<HttpPods['replace']>): void {
    this.#say(this.#session.say({ ...changes, complete: this.#complete }));
  }

  #showLifeLater(): void {
    this.#context.clock.after(SHOW_LIFE_EVERY_MS, () => this.#context.self.tell({ type: 'heartbeat-due' }));
  }

  #say(change: PodSourceChange | undefined): void {
    if (change !== undefined) this.#context.ref(POD_MANAGER).tell(change);
  }

  #reportProblem(problemText: string): void {
    if (problemText === '') this.#reading.worked();
    else this.#reading.failed(problemText);
    if (problemText === this.#lastProblem) return;
    this.#lastProblem = problemText;
    if (problemText !== '')
      this.#context.log.error(
        { problem: problemText },
        `cannot read static pods from their URL; keeping the ${this.#pods.size} pods read before`,
      );
  }
}
