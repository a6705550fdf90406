import { elapsedMs, type MonotonicMs } from '../../src/actor/clock.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { CriClient } from '../../src/cri/client.ts';
import { ImageSpec } from '../../src/cri/gen/api.ts';
import { ProviderLogins, type ProviderDeps } from '../../src/images/provider-logins.ts';
import type { PullingPod } from '../../src/images/provider-account.ts';
import {
  afterPull,
  emptyRecord,
  isVerified,
  knowsAccount,
  mayUseImage,
  type Verification,
} from '../../src/images/pull-records.ts';
import type { RecordFiles } from '../../src/images/record-files.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { AccountName, ImageLogin, RegistryLogin } from '../../src/pod/image/image-credentials.ts';
import { fullName, repositoryOf } from '../../src/pod/image/image-reference.ts';
import type { ImageManagerMetrics } from './metrics.ts';
import type { ImageManagerProtocol, ImageManagerQuestion, MayUse, PullPermission } from './protocol.ts';
import { FORGOTTEN_MS, stillUnderWay, withoutPull, withPull, type PullsUnderWay } from './state.ts';
import { TokenBucket, type Rate } from '../../src/actor/token-bucket.ts';

export interface ImageManagerDeps {
  readonly cri: Pick<CriClient, 'call'>;
  readonly records: RecordFiles;
  readonly verification: Verification;
  /** The rate at which pulls may begin. 0 a second means no limit. */
  readonly rate: Rate;
  readonly providers: Pick<ProviderDeps, 'providers' | 'run' | 'accounts'>;
  /** Absent when metrics are not collected. */
  readonly metrics?: ImageManagerMetrics;
  /** Registry logins for an image from the node's own files. */
  readonly fileLogins: (image: string) => readonly RegistryLogin[];
}

type MayUseQuestion = Extract<ImageManagerQuestion, { type: 'may-use-image' }>;
type BeginningOfPull = Extract<ImageManagerQuestion, { type: 'begin-pull' }>;
type EndOfPull = Extract<ImageManagerQuestion, { type: 'end-pull' }>;

const TIDY_EVERY_MS = 300_000;
/** Much less than a pod worker waits for permission to pull. */
const LIST_WITHIN_MS = 10_000;
/** The list of images may be older than the image of a record younger than this. */
const YOUNG_MS = 60_000;

/** Records which credentials images were pulled with, and supplies the node's own registry logins. */
export class ImageManager implements Actor<ImageManagerProtocol> {
  readonly #context: ActorContext<ImageManagerProtocol>;
  readonly #deps: ImageManagerDeps;
  readonly #providers: ProviderLogins;
  /** Monotonic milliseconds. */
  readonly #madeAt: MonotonicMs;
  readonly #bucket: TokenBucket | undefined;
  #underWay: PullsUnderWay = new Map();

  constructor(context: ActorContext<ImageManagerProtocol>, deps: ImageManagerDeps) {
    this.#context = context;
    this.#deps = deps;
    const { clock, log } = context;
    this.#providers = new ProviderLogins({
      ...deps.providers,
      now: () => clock.monotonic(),
      warn: (text) => log.warn({}, text),
      ran: (provider, run) => deps.metrics?.asked(provider, run),
    });
    deps.metrics?.records(() => deps.records.counts());
    this.#madeAt = clock.monotonic();
    this.#bucket = deps.rate.perSecond === 0 ? undefined : new TokenBucket(deps.rate, this.#madeAt);
  }

  start(): void {
    this.#tidyLater();
    // Pulls begun under an earlier incarnation may be under way; their pod workers will report the end.
    if (this.#context.restarted) return;
    const judged = this.#judgeLeftPulls().then(() => this.#context.self.tell({ type: 'pull-intents-recovered' }));
    this.#context.supervise(judged);
  }

  tell(command: ImageManagerProtocol['command']): void {
    switch (command.type) {
      case 'cleanup-due':
        this.#providers.tidy();
        this.#underWay = stillUnderWay(this.#underWay, this.#context.clock.monotonic());
        this.#context.supervise(this.#forgetRemoved());
        if (this.#knowsPulls()) this.#context.supervise(this.#judgeLeftPulls());
        return this.#tidyLater();
      case 'pull-intents-recovered':
        return;
      default:
        return assertNever(command, 'image manager command');
    }
  }

  ask(question: ImageManagerQuestion): MayUse | Promise<MayUse> | Promise<PullPermission> | 'recorded' {
    switch (question.type) {
      case 'may-use-image':
        return this.#mayUse(question);
      case 'begin-pull':
        return this.#begin(question);
      case 'end-pull':
        this.#end(question);
        return 'recorded';
      default:
        return assertNever(question, 'image manager question');
    }
  }

  #mayUse(question: MayUseQuestion): MayUse | Promise<MayUse> {
    const { image, imageRef, pod } = question;
    const asked = { namespace: pod?.namespace ?? '', name: pod?.serviceAccount ?? '' };
    const { accounts } = this.#deps.providers;
    if (pod === undefined || accounts === undefined || !knowsAccount(image, this.#deps.records.record(imageRef), asked))
      return this.#judged(question, undefined);
    // Another account of the same name may have existed when the record was made.
    return accounts
      .facts(pod)
      .then((facts) => this.#judged(question, facts.ok ? { ...asked, uid: facts.value.uid } : undefined));
  }

  #judged({ image, imageRef, secrets }: MayUseQuestion, account: AccountName | undefined): MayUse {
    const { records, verification } = this.#deps;
    const known = { record: records.record(imageRef), isBegun: records.mayComeFromPull(image, imageRef) };
    const verdict = mayUseImage({ image, secrets, ...(account !== undefined && { account }) }, known, verification);
    const found = isVerified(image, known, verification) ? 'credentialRecordFound' : 'credentialPolicyAllowed';
    this.#deps.metrics?.checked(verdict.mayUse ? found : 'mustAuthenticate');
    if (verdict.mayUse && verdict.learnt !== undefined) records.writeRecord(verdict.learnt, this.#time());
    return { mayUse: verdict.mayUse };
  }

  /** The intent is written last, so that an earlier failure leaves no intent behind. */
  async #begin({ image, pod, inspected }: BeginningOfPull): Promise<PullPermission> {
    const { clock } = this.#context;
    if (this.#bucket?.take(clock.monotonic()) === false) return { type: 'rate-limited' };
    const logins = await this.#nodeLogins(image, pod);
    const present = inspected === undefined ? await this.#listedRef(image) : inspected.imageRef;
    // A dead incarnation's answer is lost: its caller will not pull.
    const problem = this.#context.alive() ? this.#deps.records.writeIntent(image, present) : 'the image manager ended';
    if (problem !== undefined) return { type: 'intent-not-written', problem };
    this.#underWay = withPull(this.#underWay, { image, podUid: pod.uid }, clock.monotonic());
    return { type: 'allowed', logins };
  }

  async #nodeLogins(image: string, pod: PullingPod): Promise<readonly ImageLogin[]> {
    const repository = repositoryOf(image);
    const inFiles = this.#deps.fileLogins(repository);
    if (this.#deps.providers.providers.length === 0) return inFiles;
    return [...inFiles, ...(await this.#providers.loginsFor(repository, pod))];
  }

  /**
   * The runtime's ID of the image; `undefined` when no listed image has that name, or the runtime does not answer. As
   * in the kubelet, a pull with `Always` inspects no image, so the list is read.
   */
  async #listedRef(image: string): Promise<string | undefined> {
    const list = await this.#deps.cri.call('ListImages', { filter: undefined }, { timeoutMs: LIST_WITHIN_MS });
    const name = fullName(image);
    return list.ok
      ? list.value.images.find(({ repoTags, repoDigests }) =>
          [...repoTags, ...repoDigests].some((each) => fullName(each) === name),
        )?.id
      : undefined;
  }

  #end({ image, podUid, pulled }: EndOfPull): void {
    const { records } = this.#deps;
    this.#underWay = withoutPull(this.#underWay, { image, podUid });
    const record = pulled && afterPull(records.record(pulled.imageRef), { image, ...pulled });
    const problem = record && records.writeRecord(record, this.#time());
    // With the intent alone, no pod may use the image without a login.
    if (problem !== undefined)
      this.#context.log.warn(
        { image, problem },
        "the image's pull record could not be written; pods need a login to use the image",
      );
    else if (!this.#underWay.has(image)) records.removeIntent(image);
  }

  /**
   * Resolves pulls whose end was never recorded. An image that arrived since the intent was pulled, and its credentials
   * are unknown. If the image is the one from before, the pull has brought nothing, and its intent is removed.
   */
  async #judgeLeftPulls(): Promise<void> {
    const { cri, records } = this.#deps;
    for (const image of records.intents()) {
      const status = await cri.call('ImageStatus', { image: ImageSpec.fromPartial({ image }), verbose: false });
      // Until the runtime answers, the intent stays; the intent has the effect of a record without credentials.
      if (!status.ok || !this.#context.alive() || this.#underWay.has(image)) continue;
      const imageRef = status.value.image?.id;
      const isPulled = imageRef !== undefined && records.mayComeFromPull(image, imageRef);
      const isNew = isPulled && records.record(imageRef) === undefined;
      const problem = isNew ? records.writeRecord(emptyRecord(imageRef), this.#time()) : undefined;
      if (problem === undefined) records.removeIntent(image);
    }
  }

  async #forgetRemoved(): Promise<void> {
    const list = await this.#deps.cri.call('ListImages', { filter: undefined });
    if (!list.ok || !this.#context.alive()) return;
    const kept = new Set(list.value.images.map(({ id }) => id));
    this.#deps.records.removeRecords(kept, new Date(this.#context.clock.now() - YOUNG_MS).toISOString());
  }

  #tidyLater(): void {
    this.#context.clock.after(TIDY_EVERY_MS, () => this.#context.self.tell({ type: 'cleanup-due' }));
  }

  /**
   * Pulls that began under an earlier incarnation are not in `#underWay`. Their intents stay for as long as any pull
   * may take.
   */
  #knowsPulls(): boolean {
    return !this.#context.restarted || elapsedMs(this.#madeAt, this.#context.clock.monotonic()) >= FORGOTTEN_MS;
  }

  #time(): string {
    return new Date(this.#context.clock.now()).toISOString();
  }
}
