import { seededRandom } from '../../../src/actor/random.ts';
import type { ApiTransport } from '../../../src/api/api-transport.ts';
import { ApiCore } from '../../../src/embedded/apiserver/store/api-core.ts';
import { inProcessTransport } from '../../../src/embedded/apiserver/http/in-process-transport.ts';
import { plainTokens, type TokenIssuer } from '../../../src/embedded/apiserver/subresources/token-issuer.ts';
import { ApiWeather } from './api-weather.ts';
import type { ThreadLife } from './simulated-thread.ts';
import { newOwner, type Owner, type VirtualTime } from './virtual-time.ts';

/** The latency of an answer of the API server. */
const TYPICAL_MS = 0.5;

/** The embedded API server on the virtual clock, and its clients. The server outlives the agent. */
export class SimulatedApi {
  readonly core: ApiCore;
  /** The faults between agents and the server. */
  readonly weather: ApiWeather;
  readonly #time: VirtualTime;
  readonly #owner: Owner = newOwner('api');

  constructor(time: VirtualTime, seed: number, tokens: TokenIssuer = plainTokens()) {
    this.#time = time;
    this.weather = new ApiWeather(time);
    let uids = 0;
    const makeUid = (): string => {
      const count = (++uids).toString(16).padStart(12, '0');
      return `${(seed >>> 0).toString(16).padStart(8, '0')}-0000-4000-8000-${count}`;
    };
    this.core = new ApiCore({
      clock: time.clockOf(this.#owner),
      random: seededRandom(seed ^ 0xa91),
      makeUid,
      tokens,
    });
    this.core.begin();
  }

  /** The client of one incarnation of a thread. It ends with that thread. */
  transportFor({ owner, whenOver }: Pick<ThreadLife, 'owner' | 'whenOver'>): ApiTransport {
    const transport = this.weather.over(this.transportOf(owner), owner);
    whenOver.push(() => transport.close());
    return transport;
  }

  transportOf(owner: Owner): ApiTransport {
    const time = this.#time;
    return inProcessTransport(this.core, {
      later: (run) => void time.in(time.spread(TYPICAL_MS), owner, { label: 'api answers', run }),
    });
  }
}
