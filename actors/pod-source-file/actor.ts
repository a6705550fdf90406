import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { podEventObject, type RecordEvent } from '../../src/kube/event.ts';
import { withConfigSeen } from '../../src/kube/manifest/static-pod.ts';
import type { PodSourceChange } from '../../src/pod/source/pod-source-change.ts';
import { PodSourceSession, SHOW_LIFE_EVERY_MS } from '../../src/pod/source/pod-source-session.ts';
import { JOB_POOL, type JobOutcome, type ParseOutcome } from '../job-pool/protocol.ts';
import { POD_MANAGER } from '../pod-manager/protocol.ts';
import type { SavedPods } from './saved-pods.ts';
import type { ManifestFolder } from './manifest-folder.ts';
import type { Listing, PodSourceFileProtocol } from './protocol.ts';
import { afterLostJob } from './after-lost-job.ts';
import { ChangedNames, replaced } from './changed-names.ts';
import { StaticPodFiles } from './static-pod-files.ts';
import { nextBackOffMs } from '../../src/actor/back-off.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty, DutyAttempt } from '../../src/health/duty.ts';

export interface PodSourceFileDeps {
  readonly folder: ManifestFolder;
  readonly kept: SavedPods;
  readonly nodeName: string;
  /** Kinds of API objects, in the plural, that a static pod may refer to here. */
  readonly mayReferTo?: readonly string[];
  /** `fileCheckFrequency`: how often every file is checked, whatever the file system has reported. */
  readonly pollEveryMs: number;
  readonly recordEvent: RecordEvent;
}

/** A file is often written in several steps, so the source waits a moment for the last. */
const SETTLE_MS = 50;
/** Files per parse job: enough to be worth the message, few enough for the first pods to start early. */
const FILES_PER_JOB = 50;
const PARSE_WITHIN_MS = 60_000;
/**
 * A file that makes its job fail is left alone this long, unless it changes: the machine may have been short of time or
 * memory.
 */
const GIVEN_UP_FOR_MS = 600_000;
/** How many ignored entries of the folder get a log line of their own; the rest is counted. */
const MOST_NAMED = 20;
/** After a watch that could not be set up, or a job that was lost: twice as long each time. */
const AGAIN = { initialMs: 1_000, maxMs: 20_000 };

/** Reads static pods from a folder, or a file. */
export class PodSourceFile implements Actor<PodSourceFileProtocol> {
  readonly #context: ActorContext<PodSourceFileProtocol>;
  readonly #reading: Duty;
  readonly #deps: PodSourceFileDeps;
  #files = new StaticPodFiles();
  /** Changes reported since the last look began, and those that the look under way began with. */
  #changed = new ChangedNames();
  #lookedAt = new ChangedNames();
  #closeWatch: () => void = () => {};
  #watchAgainMs = AGAIN.initialMs;
  #parseAgainMs = AGAIN.initialMs;
  #cancelPoll: () => void = () => {};
  #isSettling = false;
  /** One look at a time. Requests meanwhile are served when it ends. */
  #isLooking = false;
  #listing: DutyAttempt | undefined;
  #next: 'nothing' | 'names' | 'everything' = 'nothing';
  #complete = false;
  #lastProblem = '';
  /** The session with the pod manager, begun when the pod manager or this source starts. */
  readonly #session: PodSourceSession;
  /** For the look under way: how many jobs have reported, and its end if that arrived before the last report. */
  #reported = 0;
  #end: ScanEnd | undefined;

  constructor(context: ActorContext<PodSourceFileProtocol>, deps: PodSourceFileDeps) {
    this.#context = context;
    this.#reading = dutyOf(context, {
      work: 'read the static pod folder',
      follows: 'the pods read before keep running',
      isLoggedByActor: true,
    });
    this.#deps = deps;
    this.#session = new PodSourceSession('file', context.incarnation);
  }

  start(): void {
    const { pods, problems } = this.#deps.kept.read();
    this.#files = new StaticPodFiles(pods);
    for (const problem of problems) this.#context.log.error({}, `static pods: ${problem}`);
    this.#watch();
    this.#scan('everything');
    this.#showLifeLater();
  }

  stop(): void {
    this.#closeWatch();
  }

  tell(command: PodSourceFileProtocol['command']): void {
    switch (command.type) {
      case 'send-all':
        this.#files.forgetReported();
        this.#session.begin();
        return this.#reportChanges();
      case 'heartbeat-due':
        this.#showLifeLater();
        return this.#say(this.#session.showLife());
      case 'poll':
        return this.#scan('everything');
      case 'retry-due':
        return this.#files.forgetContent(command.file);
      case 'name-changed':
        return this.#nameChanged(command.name, command.what);
      case 'names-settled':
        this.#isSettling = false;
        return this.#scan('names');
      case 'listed':
        return this.#listed(command.listing);
      case 'parsed':
        return this.#parsed(command.outcomes, command.signatures);
      case 'scan-ended':
        return this.#scanEnded(command);
      default:
        return assertNever(command, 'file source command');
    }
  }

  // ---- looking
  // -------------------------------------------------------------------------------------------------------

  #nameChanged(name: string, what: 'entry' | 'content'): void {
    this.#watchAgainMs = AGAIN.initialMs;
    this.#changed.note(name, what);
    // Later changes do not postpone the look: a file that is written constantly must not hide the others.
    if (this.#isSettling) return;
    this.#isSettling = true;
    this.#context.clock.after(SETTLE_MS, () => this.#context.self.tell({ type: 'names-settled' }));
  }

  #pollWithin(delayMs: number): void {
    this.#cancelPoll();
    this.#cancelPoll = this.#context.clock.after(delayMs, () => this.#context.self.tell({ type: 'poll' }));
  }

  #scan(scope: 'names' | 'everything'): void {
    if (this.#isLooking) {
      if (this.#next !== 'everything') this.#next = scope;
      return;
    }
    this.#isLooking = true;
    // A folder on a dead network disk never answers.
    this.#listing = this.#reading.attempt('the list of its files');
    this.#reported = 0;
    const { folder, pollEveryMs } = this.#deps;
    if (scope === 'everything') this.#pollWithin(pollEveryMs);
    const listing = scope === 'everything' ? folder.list() : folder.look(this.#changed.names);
    this.#lookedAt = this.#changed;
    this.#changed = new ChangedNames();
    this.#context.supervise(listing.then((found) => this.#context.self.tell({ type: 'listed', listing: found })));
  }

  #listed(listing: Listing): void {
    // A hang that ends with a problem stays one trouble.
    if (!listing.ok && !listing.missing) this.#listing?.failed(listing.problem);
    else this.#listing?.dropped();
    if (!listing.ok) {
      this.#reportProblem(listing.problem, listing.missing);
      // As in the kubelet: a missing folder wants no pods, at the start and later on. An unreadable folder says
      // nothing, and its pods stay.
      if (!listing.missing) return this.#endLook({ scope: 'names', jobs: 0, lost: [] });
      this.#files.removed(this.#files.missingFrom(new Map()));
      this.#keep();
      return this.#endLook({ scope: 'everything', jobs: 0, lost: [] });
    }
    const { files, scope } = listing;
    this.#logIgnored(listing);
    const missing = listing.scope === 'everything' ? this.#files.missingFrom(files) : listing.gone;
    this.#files.removed([...missing, ...replaced(files.keys(), this.#lookedAt, this.#changed)]);
    this.#keep();
    const parsed = this.#parse(this.#files.toParse(files), files);
    this.#context.supervise(parsed.then((ended) => this.#endLook({ scope, ...ended })));
  }

  #endLook(end: Omit<ScanEnd, 'type'>): void {
    this.#context.self.tell({ type: 'scan-ended', ...end });
  }

  #scanEnded(end: ScanEnd): void {
    this.#end = undefined;
    // A pod whose file is not read yet must not count as unwanted.
    if (this.#reported < end.jobs) return void (this.#end = end);
    const { scope, lost } = end;
    this.#isLooking = false;
    // Before every file has been read, the pod manager must not conclude which pods are unwanted.
    if (scope === 'everything' && lost.length === 0) this.#complete = true;
    this.#reportChanges();
    if (lost.length > 0) {
      this.#pollWithin(Math.min(this.#parseAgainMs, this.#deps.pollEveryMs));
      this.#parseAgainMs = nextBackOffMs(this.#parseAgainMs, AGAIN);
    } else {
      this.#parseAgainMs = AGAIN.initialMs;
    }
    const next = this.#next;
    this.#next = 'nothing';
    if (next !== 'nothing') this.#scan(next);
  }

  // ---- reading
  // -------------------------------------------------------------------------------------------------------

  /** Hands the files to parse jobs, one job at a time. Returns the files whose jobs were lost. */
  async #parse(
    paths: readonly string[],
    signatures: ReadonlyMap<string, string>,
  ): Promise<Pick<ScanEnd, 'jobs' | 'lost'>> {
    const lost: string[] = [];
    let reports = 0;
    const jobs = Array.from({ length: Math.ceil(paths.length / FILES_PER_JOB) }, (_, index) =>
      paths.slice(index * FILES_PER_JOB, (index + 1) * FILES_PER_JOB),
    );
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      const outcome = await this.#ask(job);
      if (outcome.ok) {
        reports++;
        this.#context.self.tell({ type: 'parsed', outcomes: outcome.value, signatures });
        continue;
      }
      const { loss, problem } = outcome;
      const [file = ''] = job;
      const times = job.length > 1 || loss === 'not-run' ? 0 : this.#files.lost(file, signatures.get(file));
      switch (afterLostJob({ loss, files: job.length, times })) {
        case 'one-by-one':
          jobs.unshift(...job.map((each) => [each]));
          break;
        case 'again-later':
          lost.push(...job);
          break;
        case 'give-up':
          reports++;
          this.#giveUp(file, { problem, signatures });
          continue;
      }
      const named = { files: job.slice(0, MOST_NAMED), count: job.length };
      this.#context.log.warn({ ...named, problem }, 'cannot parse static pod manifests; retrying');
    }
    return { jobs: reports, lost };
  }

  #giveUp(file: string, why: { readonly problem: string; readonly signatures: ReadonlyMap<string, string> }): void {
    const { clock, self } = this.#context;
    self.tell({ type: 'parsed', outcomes: [unparsable(file, why.problem)], signatures: why.signatures });
    clock.after(GIVEN_UP_FOR_MS, () => self.tell({ type: 'retry-due', file }));
  }

  #ask(paths: readonly string[]): Promise<JobOutcome<readonly ParseOutcome[]>> {
    const { nodeName, mayReferTo = [] } = this.#deps;
    const files = paths.map((path) => ({ path, nodeName, mayReferTo }));
    return this.#context
      .ref(JOB_POOL)
      .ask({ type: 'parse-manifests', files }, { deadlineMs: PARSE_WITHIN_MS })
      .catch((reason: unknown) => ({ ok: false, loss: 'not-run', problem: String(reason) }) as const);
  }

  #parsed(outcomes: readonly ParseOutcome[], signatures: ReadonlyMap<string, string>): void {
    const { clock, log } = this.#context;
    const seen = new Date(clock.now()).toISOString();
    const stamped = outcomes.map((outcome) =>
      outcome.ok ? { ...outcome, pod: withConfigSeen(outcome.pod, seen) } : outcome,
    );
    for (const { file, problem, unused } of this.#files.parsed(stamped, signatures)) {
      log.error({ file }, problem);
      if (unused === undefined) continue;
      const event = { type: 'Warning', reason: 'FailedValidation', message: problem } as const;
      this.#deps.recordEvent({ object: podEventObject(unused), ...event });
    }
    this.#keep();
    this.#reportChanges();
    this.#reported++;
    if (this.#end !== undefined) this.#scanEnded(this.#end);
  }

  /** Runs before the pod manager is notified: a pod it knows must survive this incarnation. */
  #keep(): void {
    const { kept } = this.#deps;
    for (const { file, pod } of this.#files.savedPodWrites()) {
      const problem = pod === undefined ? kept.drop(file) : kept.keep(file, pod);
      if (problem === undefined) continue;
      const what =
        pod === undefined ? 'cannot be removed from disk' : 'cannot be saved; it is lost when the agent ends';
      this.#context.log.error({ file, problem }, `the last good pod of a manifest ${what}`);
    }
  }

  // ---- reports
  // -------------------------------------------------------------------------------------------------------

  #reportChanges(): void {
    const change = this.#session.say({ ...this.#files.changes(), complete: this.#complete });
    this.#say(change);
  }

  #say(change: PodSourceChange | undefined): void {
    if (change !== undefined) this.#context.ref(POD_MANAGER).tell(change);
  }

  #showLifeLater(): void {
    this.#context.clock.after(SHOW_LIFE_EVERY_MS, () => this.#context.self.tell({ type: 'heartbeat-due' }));
  }

  #logIgnored(listing: Listing & { readonly ok: true }): void {
    const { files, leftOut } = listing;
    const isAll = listing.scope === 'everything';
    const warnings = this.#files.leftOut(leftOut, isAll ? undefined : [...files.keys(), ...listing.gone]);
    for (const { file, problem } of warnings.slice(0, MOST_NAMED)) this.#context.log.error({ file }, problem);
    const others = warnings.length - MOST_NAMED;
    if (others > 0) this.#context.log.error({ others }, 'more entries of the static pod folder are ignored');
    if (isAll) this.#reportProblem(tooManyFiles(listing));
  }

  #reportProblem(problemText: string, isMissing = false): void {
    if (problemText === '' || isMissing) this.#reading.worked();
    else this.#reading.failed(problemText);
    if (problemText === this.#lastProblem) return;
    this.#lastProblem = problemText;
    if (problemText !== '') this.#context.log.error({}, `static pods: ${problemText}`);
  }

  // ---- watching
  // ------------------------------------------------------------------------------------------------------

  #watch(): void {
    const { log, clock, self } = this.#context;
    this.#closeWatch = this.#deps.folder.watch(
      (name, what) => {
        // A crashed incarnation could not close its watch.
        if (this.#context.alive()) self.tell({ type: 'name-changed', name, what });
        else this.#closeWatch();
      },
      (problem) => {
        if (!this.#context.alive()) return;
        log.debug({ problem }, 'cannot watch the static pod folder; polling it until the watch works');
        clock.after(this.#watchAgainMs, () => {
          this.#watch();
          // Changes while the watch was down were not reported.
          self.tell({ type: 'poll' });
        });
        this.#watchAgainMs = nextBackOffMs(this.#watchAgainMs, AGAIN);
      },
    );
  }
}

type ScanEnd = Extract<PodSourceFileProtocol['command'], { type: 'scan-ended' }>;

const tooManyFiles = ({ files, tooMany }: Listing & { readonly ok: true; readonly scope: 'everything' }): string =>
  tooMany === 0
    ? ''
    : `the folder has too many files: ignoring ${tooMany} files, all after ${[...files.keys()].at(-1)}`;

/** Replaces an answer that never comes. */
const unparsable = (path: string, problem: string): ParseOutcome => ({
  path,
  ok: false,
  fault: 'unparsable',
  problem: `cannot parse the manifest; retrying in 10 minutes or when the file changes: ${problem}`,
  problems: [],
});
