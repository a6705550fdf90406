import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { describeError } from '../../src/actor/fault.ts';
import { assertNever } from '../../src/kube/assert-never.ts';
import { withConfigSeen } from '../../src/kube/static-pod.ts';
import { JOB_POOL, type JobPoolProtocol, type ParseOutcome } from '../job-pool/protocol.ts';
import { POD_MANAGER, type PodManagerProtocol } from '../pod-manager/protocol.ts';
import type { ManifestFolder } from './manifest-folder.ts';
import type { Listing, PodSourceFileCommand, PodSourceFileProtocol } from './protocol.ts';
import { StaticPodFiles } from './state.ts';

export interface PodSourceFileDeps {
  readonly folder: ManifestFolder;
  readonly nodeName: string;
  /** `fileCheckFrequency`: how often every file is looked at, whatever the file system has told. */
  readonly pollEveryMs: number;
}

/** A file is often written in several steps; they are waited for a moment. */
const SETTLE_MS = 50;
/** Files handed to one job: enough to be worth the trip, few enough for the first pods to start early. */
const FILES_PER_JOB = 50;
const PARSE_WITHIN_MS = 60_000;
const WATCH_AGAIN_MS = { first: 1_000, longest: 20_000 };

/** Reads static pods from a folder, or a file. */
export class PodSourceFile implements Actor<PodSourceFileProtocol> {
  readonly #context: ActorContext<PodSourceFileProtocol>;
  readonly #deps: PodSourceFileDeps;
  readonly #files = new StaticPodFiles();
  #closeWatch: () => void = () => {};
  #watchAgainMs = WATCH_AGAIN_MS.first;
  #cancelPoll: () => void = () => {};
  /** One look at a time; what is told meanwhile makes for one more. */
  #looking: 'no' | 'yes' | 'again' = 'no';
  #complete = false;
  #complaint = '';

  constructor(context: ActorContext<PodSourceFileProtocol>, deps: PodSourceFileDeps) {
    this.#context = context;
    this.#deps = deps;
  }

  start(): void {
    this.#watch();
    this.#look();
  }

  stop(): void {
    this.#closeWatch();
  }

  tell(command: PodSourceFileCommand): void {
    switch (command.type) {
      case 'send-all':
        this.#files.forgetTold();
        return this.#tellChanges();
      case 'poll':
        return this.#look();
      case 'name-changed':
        return this.#pollWithin(SETTLE_MS);
      case 'listed':
        return this.#listed(command.listing);
      case 'parsed':
        return this.#parsed(command.outcomes, command.signatures);
      default:
        return assertNever(command, 'file source command');
    }
  }

  #pollWithin(delayMs: number): void {
    this.#cancelPoll();
    this.#cancelPoll = this.#context.clock.after(delayMs, () => this.#context.self.tell({ type: 'poll' }));
  }

  #look(): void {
    if (this.#looking !== 'no') {
      this.#looking = 'again';
      return;
    }
    this.#looking = 'yes';
    const listed = this.#deps.folder.list().then((listing) => this.#context.self.tell({ type: 'listed', listing }));
    this.#context.supervise(listed);
  }

  #listed(listing: Listing): void {
    // A folder that is missing counts as an empty one at the start; later on its pods stay until it is there again.
    this.#complain(listing.ok ? directoryComplaint(listing.directories) : listing.problem);
    if (!listing.ok) return this.#looked();
    const { files } = listing;
    this.#files.removed(this.#files.missingFrom(files));
    const toParse = this.#files.toParse(files);
    if (toParse.length === 0) return this.#looked();
    this.#context.supervise(this.#parse(toParse, files));
  }

  async #parse(paths: readonly string[], signatures: ReadonlyMap<string, string>): Promise<void> {
    const { nodeName } = this.#deps;
    const pool = this.#context.ref<JobPoolProtocol>(JOB_POOL);
    for (let from = 0; from < paths.length; from += FILES_PER_JOB) {
      const files = paths.slice(from, from + FILES_PER_JOB).map((path) => ({ path, nodeName }));
      const outcomes = await pool
        .ask({ type: 'parse-manifests', files }, { deadlineMs: PARSE_WITHIN_MS })
        .catch((reason: unknown) => this.#lost(reason));
      this.#context.self.tell({ type: 'parsed', outcomes, signatures });
    }
    this.#context.self.tell({ type: 'parsed', outcomes: [], signatures });
  }

  /** The job was lost with its thread; its files are still unknown, so the next look parses them. */
  #lost(reason: unknown): readonly ParseOutcome[] {
    this.#context.log.warn({ err: describeError(reason) }, 'manifests could not be parsed; trying again');
    this.#looking = 'again';
    return [];
  }

  #parsed(outcomes: readonly ParseOutcome[], signatures: ReadonlyMap<string, string>): void {
    const { clock, log } = this.#context;
    const seen = new Date(clock.now()).toISOString();
    const stamped = outcomes.map((outcome) =>
      outcome.ok ? { ...outcome, pod: withConfigSeen(outcome.pod, seen) } : outcome,
    );
    for (const { file, problem } of this.#files.parsed(stamped, signatures)) log.error({ file }, problem);
    if (outcomes.length === 0) this.#looked();
    else this.#tellChanges();
  }

  #looked(): void {
    const again = this.#looking === 'again';
    this.#looking = 'no';
    this.#complete = true;
    this.#tellChanges();
    this.#pollWithin(again ? SETTLE_MS : this.#deps.pollEveryMs);
  }

  #tellChanges(): void {
    const change = this.#files.changes(this.#complete);
    if (change !== undefined) this.#context.ref<PodManagerProtocol>(POD_MANAGER).tell(change);
  }

  #watch(): void {
    const { folder } = this.#deps;
    this.#closeWatch = folder.watch(
      (name) => this.#context.self.tell({ type: 'name-changed', name }),
      (problem) => {
        if (!this.#context.alive()) return;
        this.#context.log.debug({ problem }, 'the static pod folder cannot be watched; it is polled meanwhile');
        this.#context.clock.after(this.#watchAgainMs, () => this.#watch());
        this.#watchAgainMs = Math.min(this.#watchAgainMs * 2, WATCH_AGAIN_MS.longest);
      },
    );
  }

  #complain(complaint: string): void {
    if (complaint === this.#complaint) return;
    this.#complaint = complaint;
    if (complaint !== '') this.#context.log.error({}, `static pods: ${complaint}`);
  }
}

const directoryComplaint = (directories: readonly string[]): string =>
  directories.length === 0 ? '' : `folders inside the static pod folder are not read: ${directories.join(', ')}`;
