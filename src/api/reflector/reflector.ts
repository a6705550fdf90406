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
  type ReflectorTrouble,
} from './reflector-state.ts';
import { isOlderVersion } from './resource-version.ts';
import { UnreadReports } from '../unread-reports.ts';
import { whyUnread } from '../unread-object.ts';

/** What has become of the objects since the last time. */
export interface ObjectChanges<T> {
  readonly set: readonly T[];
  /** As they were last. */
  readonly gone: readonly T[];
}

/** Whether the server begins a watch with everything there is when it is asked to. Shared by those that ask one server. */
export interface InitialEvents {
  offered: boolean;
}

/**
 * Looks at every object before anything is made of it. An object with a problem is left out, counted and reported, and what
 * was known of it before stays: the others of its kind go on, and a later version that has none is taken.
 */
export interface ObjectCheck {
  readonly problemOf: (object: unknown) => FieldProblem | undefined;
  /** The key of an object with a problem. `undefined` when the object does not even say that. */
  readonly keyIn: (object: unknown) => string | undefined;
  /** Called once for each object and problem. */
  readonly leftOut?: (object: unknown, problem: FieldProblem) => void;
}

export interface ReflectorDeps<T> {
  /** Names its watches; the same only once in an actor. */
  readonly name: string;
  /** `/api/v1/pods`. */
  readonly path: string;
  /** `fieldSelector` and the like. */
  readonly query?: Readonly<Record<string, string>>;
  readonly check?: ObjectCheck;
  /** What is kept of an object that has passed its check: less is better. `undefined`: the object is of no interest. */
  readonly project: (object: unknown) => T | undefined;
  /** What tells one object from another for good, such as its UID. */
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
  readonly count?: (what: ReflectorTrouble) => void;
}

/** Watch notices of the gateway, as far as they matter here. */
export type HeardNotice =
  | { readonly type: 'watch-events'; readonly watch: string; readonly events: readonly WatchEvent[] }
  | { readonly type: 'watch-ended'; readonly watch: string; readonly fault: ApiFault | undefined };

/** Objects of one page; a page of larger objects is some megabytes. */
const PAGE = 500;

/** Long enough for all that was under way when an object was deleted. */
const DELETED_KEPT = 100;

/** Follows one kind of object, or one object, for its actor, which passes on what the gateway tells it. */
export class Reflector<T> {
  readonly #deps: ReflectorDeps<T>;
  readonly #objects = new Map<string, { readonly version: string; readonly object: T }>();
  /** Objects that were deleted lately, with the version of that. */
  readonly #deleted = new Map<string, string>();
  /** Keys that have been named since everything began to be named anew. */
  #named: Set<string> | undefined;
  readonly #unread = new UnreadReports();
  #state: ReflectorState;
  #disarm: () => void = () => {};
  #complete = false;
  #page = PAGE;
  #isOver = false;

  constructor(deps: ReflectorDeps<T>) {
    this.#deps = deps;
    this.#state = { ...newReflector, maySendInitial: deps.initialEvents?.offered ?? true };
  }

  begin(): void {
    this.#take({ type: 'begin' });
  }

  /** The server answers again: there is no need to wait any longer. */
  serverUp(): void {
    this.#take({ type: 'server-up' });
  }

  /** Its watch was lost on the way: with the thread of the gateway, say. */
  lost(): void {
    const fault: ApiFault = { kind: 'not-sent', message: 'the watch was lost inside the agent' };
    this.#take({ type: 'ended', serial: this.#state.serial, fault });
  }

  /** Nothing more is heard or asked for; the objects stay as they were. */
  end(): void {
    this.#isOver = true;
    this.#disarm();
    this.#deps.closeWatch(this.#watchName(this.#state.serial));
  }

  heard(notice: HeardNotice): void {
    const serial = this.#serialOf(notice.watch);
    // What an earlier watch still brings is older than what the present one has said.
    if (serial !== this.#state.serial || this.#isOver) return;
    if (notice.type === 'watch-ended') return this.#take({ type: 'ended', serial, fault: notice.fault });
    this.#events(notice.events, serial);
  }

  /** Whether the watch is one of this reflector's. */
  owns(watch: string): boolean {
    return watch.startsWith(`${this.#deps.name}/`);
  }

  /** Whether everything there is has been named once. Stays so. */
  get complete(): boolean {
    return this.#complete;
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

  // ---- objects -------------------------------------------------------------------------------------------------------

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
    this.#take({ type: 'heard', serial, version, initialEnd });
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
    // A list names again what is known already.
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

  /** The key of a deleted object and what is said of it last. An object that cannot be read ends as it was known. */
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
    // The server still has the object, so what is known of it is not gone.
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
   * Words of a watch may overtake each other inside the agent. What is older than what has been said of an object is no
   * news; but where everything is named anew, a server that was restored may say what is older.
   */
  #isOvertaken(key: string, version: string): boolean {
    const isSettled = this.#named === undefined || this.#named.has(key);
    const known = isSettled ? this.#objects.get(key)?.version : undefined;
    return [known, this.#deleted.get(key)].some((said) => said !== undefined && isOlderVersion(version, said));
  }

  #tell(changes: ObjectChanges<T>): void {
    if (changes.set.length + changes.gone.length > 0) this.#deps.changed(changes);
  }

  #endReplace(): void {
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
    // The first time even nothing is news.
    if (gone.length > 0 || isFirst) this.#deps.changed({ set: [], gone });
  }

  // ---- steps ---------------------------------------------------------------------------------------------------------

  #take(input: ReflectorInput): void {
    if (this.#isOver) return;
    const { clock, random, initialEvents } = this.#deps;
    const { state, effects } = decideReflector(this.#state, input, { now: clock.monotonic(), random });
    this.#state = state;
    if (!state.maySendInitial && initialEvents !== undefined) initialEvents.offered = false;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: ReflectorEffect): void {
    const { clock, openWatch, closeWatch, count, log, path } = this.#deps;
    switch (effect.type) {
      case 'list':
        return this.#deps.supervise(this.#list(effect.serial, effect.more));
      case 'watch':
        return openWatch(this.#watchName(effect.serial), this.#watchPath(effect));
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
        return;
      case 'end-replace':
        return this.#endReplace();
      case 'count':
        count?.(effect.what);
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
      // It may have been too large to be read.
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
