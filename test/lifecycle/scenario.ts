import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Seconds, smallest and largest over the recorded runs. */
export type Span = readonly [number, number];

export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid?: string };
}

/** The awaited condition: all given members must hold at once. `pod` is absent for an awaited file. */
export interface Wait {
  readonly pod: string;
  readonly phase?: string;
  readonly condition?: string;
  readonly container?: string;
  readonly state?: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restarts?: number;
  readonly gone?: boolean;
  readonly deletions?: number;
  readonly event?: string;
  readonly call?: string;
  readonly n?: number;
  readonly file?: string;
  readonly content?: string;
}

export type Action =
  | { readonly sleep: number }
  | { readonly wait: Wait }
  | { readonly create: ApiObject }
  | { readonly delete: string; readonly grace?: number; readonly kind?: string }
  | {
      readonly patch: string;
      readonly body: object;
      readonly type?: 'strategic' | 'merge';
      readonly subresource?: string;
      readonly kind?: string;
    }
  | { readonly static: string; readonly pod?: ApiObject }
  | { readonly kubelet: 'kill' | 'start' }
  | {
      readonly cri: {
        readonly op: 'exit' | 'vanish' | 'sandbox-die' | 'sandbox-vanish';
        readonly pod: string;
        readonly container?: string;
        readonly code?: number;
      };
    };

/** One different status, in leaves that are compared one by one. */
export interface StatusEntry {
  readonly gone?: boolean;
  readonly newUid?: boolean;
  readonly deleting?: number;
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly ip?: boolean;
  readonly conditions?: Readonly<Record<string, string>>;
  readonly init?: Readonly<Record<string, ContainerEntry>>;
  readonly containers?: Readonly<Record<string, ContainerEntry>>;
  readonly ephemeral?: Readonly<Record<string, ContainerEntry>>;
}

export interface ContainerEntry {
  readonly state: string;
  readonly message?: string;
  readonly last?: string;
  readonly lastMessage?: string;
  readonly restarts?: number;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly resources?: object;
  readonly allocated?: object;
}

export type ExpectedStatus = StatusEntry & { readonly optional?: boolean; readonly t?: Span };

export interface ExpectedCall {
  readonly call: string;
  readonly optional?: boolean;
  /** The beginning, in seconds since the manifest was created. */
  readonly t?: Span;
  /** The duration in seconds. */
  readonly took?: Span;
}

/** A call, or lanes of calls that may interleave freely. */
export type ExpectedCallStep =
  string | ExpectedCall | { readonly parallel: readonly (readonly (string | ExpectedCall)[])[] };

export interface ExpectedEvent {
  readonly type: string;
  readonly reason: string;
  readonly field?: string;
  readonly message: string;
  readonly optional?: boolean;
}

/** The runs of a probe of one container instance: `<container>#<attempt> <command>`. */
export interface ExpectedProbe {
  readonly probe: string;
  /** Seconds from the start of that instance to the first run. */
  readonly first?: Span;
}

/** One recorded experiment with a kubelet. See the README of the golden runner. */
export interface Scenario {
  readonly name: string;
  readonly topic: string;
  readonly kubelet: Readonly<Record<string, unknown>>;
  readonly static?: Readonly<Record<string, ApiObject>>;
  readonly manifest?: readonly ApiObject[];
  readonly script: unknown;
  readonly actions: readonly Action[];
  readonly expected: {
    readonly status: Readonly<Record<string, readonly ExpectedStatus[]>>;
    readonly calls: Readonly<Record<string, readonly ExpectedCallStep[]>>;
    readonly removed?: Readonly<Record<string, readonly string[]>>;
    readonly events: Readonly<Record<string, readonly ExpectedEvent[]>>;
    readonly probes?: Readonly<Record<string, readonly ExpectedProbe[]>>;
    readonly timing?: {
      readonly startToStart?: Readonly<Record<string, readonly Span[]>>;
      readonly pullToPull?: Readonly<Record<string, readonly Span[]>>;
      readonly deleteToGone?: Readonly<Record<string, Span>>;
    };
  };
}

const folder = join(import.meta.dirname, '../golden/lifecycle');

export const scenarios: readonly Scenario[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .toSorted()
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Scenario);
