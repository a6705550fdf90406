import { seededRandom } from '../../../src/actor/random.ts';
import type { ApiClient } from '../../../src/api/api-client.ts';
import { apiClient } from '../../../src/api/api-client.ts';
import type { ApiOutcome } from '../../../src/api/api-request.ts';
import type { ApiTransport, WatchEvent } from '../../../src/api/api-transport.ts';
import type { ApiCoreOptions } from '../../../src/embedded/apiserver/store/core-contract.ts';
import { ApiCore } from '../../../src/embedded/apiserver/store/api-core.ts';
import type { ApiObject } from '../../../src/embedded/apiserver/store/api-object.ts';
import { inProcessTransport } from '../../../src/embedded/apiserver/http/in-process-transport.ts';
import { plainTokens } from '../../../src/embedded/apiserver/subresources/token-issuer.ts';
import { manualClock, settled, type ManualClock } from '../../support/manual-clock.ts';

export const NOW = Date.parse('2026-05-01T12:00:00Z');

export interface ApiUnderTest {
  readonly core: ApiCore;
  readonly clock: ManualClock;
  readonly transport: ApiTransport;
  readonly api: ApiClient;
}

/** An API server in this process, with a clock that stands still and the same UIDs in each run. */
export function apiUnderTest(options: Partial<ApiCoreOptions> = {}): ApiUnderTest {
  const clock = manualClock(NOW);
  let uids = 0;
  const makeUid = (): string => `00000000-0000-4000-8000-${String(++uids).padStart(12, '0')}`;
  const core = new ApiCore({ clock, random: seededRandom(7), makeUid, tokens: plainTokens(), ...options });
  core.begin();
  const transport = inProcessTransport(core);
  return { core, clock, transport, api: apiClient((request) => transport.call(request, 1000)) };
}

export const podsOf = (namespace = 'default'): string => `/api/v1/namespaces/${namespace}/pods`;

export const aPod = (name: string, changes: { metadata?: object; spec?: object } = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...changes.metadata },
  spec: { containers: [{ name: 'main', image: 'app:1' }], ...changes.spec },
});

/** Returns the object of the response. Throws the API's error otherwise. */
export async function done(outcome: Promise<ApiOutcome<unknown>>): Promise<ApiObject> {
  const answer = await outcome;
  if (!answer.ok) throw new Error(answer.fault.message);
  return answer.value as ApiObject;
}

/** Returns the API's error: code, reason, message. Throws if the request succeeded. */
export async function refusal(outcome: Promise<ApiOutcome<unknown>>): Promise<string> {
  const answer = await outcome;
  if (answer.ok) throw new Error(`not refused: ${JSON.stringify(answer.value)}`);
  const { fault } = answer;
  return fault.kind === 'refused'
    ? `${fault.code} ${fault.reason}: ${fault.message}`
    : `${fault.kind}: ${fault.message}`;
}

export interface Watched {
  readonly events: WatchEvent[];
  /** Events in order, as `ADDED a`. */
  readonly seen: () => Promise<readonly string[]>;
  readonly ended: () => boolean;
  readonly stop: () => void;
}

export function watched({ transport }: Pick<ApiUnderTest, 'transport'>, path: string): Watched {
  const events: WatchEvent[] = [];
  let ended = false;
  const stop = transport.watch(path, {
    events: (batch) => events.push(...batch),
    ended: (fault) => {
      ended = true;
      if (fault) events.push({ type: 'ERROR', object: fault });
    },
  });
  const seen = async (): Promise<readonly string[]> => {
    await settled();
    return events.map(({ type, object }) => `${type} ${(object as ApiObject).metadata?.name ?? '-'}`);
  };
  return { events, seen, ended: () => ended, stop };
}
