import type { Clock } from '../../actor/clock.ts';
import type { Log } from '../../actor/log.ts';
import type { Random } from '../../actor/random.ts';
import type { FieldProblem } from '../../kube/validation/field-path.ts';
import type { ApiCall } from '../api-client.ts';
import { faultOfStatus } from '../api-fault.ts';
import type { ApiFault } from '../api-request.ts';
import type { WatchEvent } from '../api-transport.ts';
import { claimedName, isInitialEnd, pageOf, versionOf } from '../object-meta.ts';
import {
  decideReflector,
  newReflector,
  type ReflectorEffect,
  type ReflectorInput,
  type ReflectorState,
  type ReflectorInterruption,
} from './reflector-state.ts';
import { isOlderVersion } from './resource-version.ts';
import { UnreadReports } from '../unread-reports.ts';
import { whyUnread } from '../unread-object.ts';

/** The changes to the objects since the last report. */
export interface ObjectChanges<T> {
  readonly set: readonly T[];
  /** Deleted objects, as last seen. */
  readonly gone: readonly T[];
}

/** When the server may be asked for watches with initial events. Shared by all reflectors of one server. */
export interface InitialEvents {
  /** A monotonic instant. */
  askFrom: number;
}

/**
 * Checks every object before use. An object with a problem is left out, counted and reported; its last good version
 * stays. The others of its kind are followed as before, and a later good version is accepted.
 */
export interface ObjectCheck {
  readonly problemOf: (object: unknown) => FieldProblem | undefined;
  /** Returns the key of an object with a problem. `undefined` when the object does not even carry its key. */
  readonly keyIn: (object: unknown) => string | undefined;
  /** Called once for each object and problem. */
  readonly leftOut?: (object: unknown, problem: FieldProblem) => void;
}

export interface ReflectorDeps<T> {
  /** Prefix of its watches' names; unique within an actor. */
  readonly name: string;
  /** `/api/v1/pods`. */
  readonly path: string;
  /** Query parameters such as `fieldSelector`. */
  readonly query?: Readonly<Record<string, string>>;
  readonly check?: ObjectCheck;
  /** Returns the part of a checked object to keep: less is better. `undefined` when the object is of no interest. */
  readonly project: (object: unknown) => T | undefined;
  /** Returns the object's permanent key, such as its UID. */
  readonly keyOf: (object: T) => string;
  readonly changed: (changes: ObjectChanges<T>) => void;
  readonly initialEvents?: InitialEvents;
  readonly call: ApiCall;
  readonly openWatch: (watch: string, path: string) => void;
  readonly closeWatch: (watch: string) => void;
  readonly supervise: (work: Promise<unknown>) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly count?: (what: ReflectorInterruption) => void;
  /** Hears how the lists and watches go, so that an operator hears of those that never succeed. */
  readonly following?: FollowingDuty;
}

/** The duty to follow one kind of object. */
export interface FollowingDuty {
  /** A complete list was asked for. */
  begun(): void;
  worked(): void;
  failed(fault: ApiFault): void;
}

/** Watch notices of the gateway, as far as a reflector reads them. */
export type ReflectorNotice =
  | { readonly type: 'watch-events'; readonly watch: string; readonly events: readonly WatchEvent[] }
  | { readonly type: 'watch-ended'; readonly watch: string; readonly fault: ApiFault | undefined };

/** Objects in one page; a page of larger objects is some megabytes. */
const PAGE = 500;

/** A watch without events that lives for this long has been accepted. */
const ACCEPTED_MS = 3_000;

/** Long enough for all events in flight when an object was deleted. */
const DELETED_KEPT = 100;

/** Follows one kind of object, or one object, for its actor. The actor passes on the gateway's notices. */
export class Reflector<T> {
  readonly #deps: ReflectorDeps<T>;
  readonly #objects = new Map<string, { readonly version: string; readonly object: T }>();
  /** Recently deleted objects, with the version of their deletion. */
  readonly #deleted = new Map<string, string>();
  /** Keys that have been named since the current list or initial events began. */
  #named: Set<string> | undefined;
  readonly #unread = new UnreadReports();
  #state: ReflectorState;
  #disarm: () => void = () => {};
  #isFailing = false;
  #complete = false;
  #page = PAGE;
  #isOver = false;

  constructor(deps: ReflectorDeps<T>) {
    this.#deps = deps;
    this.#state = { ...newReflector, streamFrom: deps.initialEvents?.askFrom ?? 0 };
  }

  begin(): void {
    this.#take({ type: 'begin' });
  }

  /** The server answers again: a waiting step may resume. */
  serverUp(): void {
    this.#take({ type: 'server-up' });
  }

  /** The watch was lost on the way, for example with the gateway's thread. */
  lost(): void {
    const fault: ApiFault = { kind: 'not-sent', message: 'the watch was lost inside the agent' };
    this.#take({ type: 'ended', serial: this.#state.serial, fault });
  }

  /** Ends all calls and watches; the objects stay as they were. */
  end(): void {
    this.#isOver = true;
    this.#disarm();
    this.#deps.closeWatch(this.#watchName(this.#state.serial));
  }

  received(notice: ReflectorNotice): void {
    const serial = this.#serialOf(notice.watch);
    // Notices of an earlier watch are older than those of the present one.
    if (serial !== this.#state.serial || this.#isOver) return;
    if (notice.type === 'watch-ended') return this.#take({ type: 'ended', serial, fault: notice.fault });
    this.#events(notice.events, serial);
  }

  /** `true` if the watch belongs to this reflector. */
  owns(watch: string): boolean {
    return watch.startsWith(`${this.#deps.name}/`);
  }

  /** `true` once all objects have been named. Stays `true`. */
  get complete(): boolean {
    return this.#complete;
  }

  /** `true` while a watch reports changes, as far as is known. `false` while it is broken or not yet resumed. */
  get isWatching(): boolean {
    return this.#state.phase.name === 'watching';
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)?.object;
  }

  *objects(): Iterable<T> {
    for (const { object } of this.#objects.values()) yield object;
  }

  // ---- objects
  // -------------------------------------------------------------------------------------------------------

  #events(events: readonly WatchEvent[], serial: number): void {
    const set = new Map<string, T>();
    const gone = new Map<string, T>();
    let version: string | undefined;
    let initialEnd = false;
    let fault: ApiFault | undefined;
    for (const { type, object } of events) {
      if (type === 'ERROR') {
        fault = faultOfStatus(object);
        break;
      }
      version = versionOf(object) ?? version;
      if (type === 'BOOKMARK') initialEnd ||= isInitialEnd(object);
      else if (type === 'DELETED') this.#remove(object, { set, gone });
      else this.#set(object, { set, gone });
    }
    this.#tell({ set: [...set.values()], gone: [...gone.values()] });
    if (fault === undefined && this.#isFailing && this.#complete) this.#works();
    this.#take({ type: 'events-received', serial, version, initialEnd });
    if (fault === undefined || this.#isOver) return;
    this.#deps.closeWatch(this.#watchName(serial));
    this.#take({ type: 'ended', serial, fault });
  }

  #set(raw: unknown, { set, gone }: { readonly set: Map<string, T>; readonly gone: Map<string, T> }): void {
    const problem = this.#problemOf(raw);
    if (problem !== undefined) return this.#leaveOut(raw, problem);
    const object = this.#deps.project(raw);
    if (object === undefined) return;
    const key = this.#deps.keyOf(object);
    this.#unread.mended(key);
    const version = versionOf(raw) ?? '';
    if (this.#isOvertaken(key, version)) return;
    this.#named?.add(key);
    // A list names objects again that are already known.
    if (version !== '' && this.#objects.get(key)?.version === version) return;
    this.#objects.set(key, { version, object });
    gone.delete(key);
    set.set(key, object);
  }

  #remove(raw: unknown, { set, gone }: { readonly set: Map<string, T>; readonly gone: Map<string, T> }): void {
    const [key, object] = this.#removed(raw);
    if (key === undefined || object === undefined) return;
    const version = versionOf(raw) ?? '';
    if (this.#isOvertaken(key, version)) return;
    this.#unread.mended(key);
    this.#deleted.delete(key);
    this.#deleted.set(key, version);
    if (this.#deleted.size > DELETED_KEPT) this.#deleted.delete(this.#deleted.keys().next().value ?? '');
    this.#named?.delete(key);
    set.delete(key);
    if (this.#objects.delete(key)) gone.set(key, object);
  }

  /** Returns the key of a deleted object and its last version. An unreadable object ends in its last good version. */
  #removed(raw: unknown): readonly [string | undefined, T | undefined] {
    const { check, project, keyOf } = this.#deps;
    if (this.#problemOf(raw) === undefined) {
      const object = project(raw);
      return object === undefined ? [undefined, undefined] : [keyOf(object), object];
    }
    const key = check?.keyIn(raw);
    if (key !== undefined) this.#unread.mended(key);
    return [key, key === undefined ? undefined : this.#objects.get(key)?.object];
  }

  #problemOf(raw: unknown): FieldProblem | undefined {
    const why = whyUnread(raw);
    return why === undefined ? this.#deps.check?.problemOf(raw) : { path: [], message: why };
  }

  #leaveOut(raw: unknown, problem: FieldProblem): void {
    const { check, count, log, path } = this.#deps;
    count?.('bad-object');
    const key = check?.keyIn(raw);
    // The server still has the object, so its last good version is kept.
    if (key !== undefined && this.#objects.has(key)) this.#named?.add(key);
    const report = this.#unread.report({ key, claimed: claimedName(raw), problem });
    if (report === undefined) return;
    log.error(
      { path, ...report },
      'an object from the API server cannot be read; leaving it out until the server sends another version',
    );
    check?.leftOut?.(raw, problem);
  }

  /**
   * Watch notices may overtake each other inside the agent, so an older version of a known object is dropped.
   * Exception: during a complete list, a restored server may send older versions.
   */
  #isOvertaken(key: string, version: string): boolean {
    const isSettled = this.#named === undefined || this.#named.has(key);
    const known = isSettled ? this.#objects.get(key)?.version : undefined;
    return [known, this.#deleted.get(key)].some((said) => said !== undefined && isOlderVersion(version, said));
  }

  #tell(changes: ObjectChanges<T>): void {
    if (changes.set.length + changes.gone.length > 0) this.#deps.changed(changes);
  }

  #fails(fault: ApiFault): void {
    this.#isFailing = true;
    this.#deps.following?.failed(fault);
  }

  #works(): void {
    this.#isFailing = false;
    this.#deps.following?.worked();
  }

  /** The server does not announce that it accepted a watch: the watch only lives on. */
  #worksIfItLives(serial: number): void {
    if (!this.#isFailing) return;
    this.#deps.clock.after(ACCEPTED_MS, () => {
      if (serial === this.#state.serial && !this.#isOver) this.#works();
    });
  }

  #endReplace(): void {
    this.#works();
    const named = this.#named;
    this.#named = undefined;
    const gone: T[] = [];
    if (named !== undefined) {
      for (const [key, { object }] of this.#objects) {
        if (named.has(key)) continue;
        this.#objects.delete(key);
        gone.push(object);
      }
    }
    const isFirst = !this.#complete;
    this.#complete = true;
    // The first report is made even if there are no objects.
    if (gone.length > 0 || isFirst) this.#deps.changed({ set: [], gone });
  }

  // ---- steps
  // ---------------------------------------------------------------------------------------------------------

  #take(input: ReflectorInput): void {
    if (this.#isOver) return;
    const { clock, random, initialEvents } = this.#deps;
    const { state, effects } = decideReflector(this.#state, input, { now: clock.monotonic(), random });
    this.#state = state;
    if (initialEvents !== undefined) initialEvents.askFrom = Math.max(initialEvents.askFrom, state.streamFrom);
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: ReflectorEffect): void {
    const { clock, openWatch, closeWatch, count, log, path } = this.#deps;
    switch (effect.type) {
      case 'list':
        return this.#deps.supervise(this.#list(effect.serial, effect.more));
      case 'watch':
        openWatch(this.#watchName(effect.serial), this.#watchPath(effect));
        if (effect.version !== undefined) this.#worksIfItLives(effect.serial);
        return;
      case 'close-watch':
        return closeWatch(this.#watchName(effect.serial));
      case 'wait': {
        this.#disarm();
        this.#disarm = clock.after(effect.ms, () => this.#take({ type: 'due', serial: effect.serial }));
        return;
      }
      case 'begin-replace':
        this.#named = new Set();
        this.#deleted.clear();
        this.#deps.following?.begun();
        return;
      case 'end-replace':
        return this.#endReplace();
      case 'count':
        count?.(effect.what);
        if (effect.fault !== undefined && effect.what !== 'stream-refused') this.#fails(effect.fault);
        if (effect.what === 'stream-refused') {
          return log.info(
            { path, fault: effect.fault },
            'the API server did not stream a list; reading it in pages, streaming is tried again in 30 min',
          );
        }
        return log.debug(
          { path, what: effect.what, fault: effect.fault },
          'a list or watch of the API server was interrupted; retrying',
        );
      default:
        return effect satisfies never;
    }
  }

  async #list(serial: number, more: string | undefined): Promise<void> {
    const query = new URLSearchParams({
      ...this.#deps.query,
      limit: String(this.#page),
      ...(more !== undefined && { continue: more }),
    });
    const outcome = await this.#deps.call({
      verb: 'list',
      path: `${this.#deps.path}?${query.toString()}`,
      priority: 'object',
    });
    if (serial !== this.#state.serial || this.#isOver) return;
    if (!outcome.ok) {
      // The page may have been too large to read.
      if (outcome.fault.kind === 'unreadable') this.#page = Math.max(1, Math.floor(this.#page / 10));
      return this.#take({ type: 'page', serial, outcome });
    }
    const page = pageOf(outcome.value);
    if (page === undefined) {
      const fault: ApiFault = { kind: 'unreadable', message: `list ${this.#deps.path}: the answer is not a list` };
      return this.#take({ type: 'page', serial, outcome: { ok: false, fault } });
    }
    const set = new Map<string, T>();
    for (const item of page.items) this.#set(item, { set, gone: new Map() });
    this.#tell({ set: [...set.values()], gone: [] });
    this.#take({ type: 'page', serial, outcome: { ok: true, version: page.version, more: page.more } });
  }

  #watchPath({ version, timeoutSeconds }: Extract<ReflectorEffect, { type: 'watch' }>): string {
    const query = new URLSearchParams({
      ...this.#deps.query,
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(timeoutSeconds),
      ...(version === undefined
        ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
        : { resourceVersion: version }),
    });
    return `${this.#deps.path}?${query.toString()}`;
  }

  #watchName(serial: number): string {
    return `${this.#deps.name}/${serial}`;
  }

  #serialOf(watch: string): number {
    return this.owns(watch) ? Number(watch.slice(this.#deps.name.length + 1)) : Number.NaN;
  }
}
