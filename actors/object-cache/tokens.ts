import type { ActorContext } from '../../src/actor/actor.ts';
import { readable, type ApiCall } from '../../src/api/api-client.ts';
import { apiFaultText, isNotFound } from '../../src/api/api-request.ts';
import { tokenPath } from '../../src/api/api-path.ts';
import type { ObjectAnswer, TokenContent, TokenQuestion } from './protocol.ts';
import { isDueForRenewal, type KeptToken, TOKEN_JITTER_MS, tokenIn, tokenKey, tokenRequest } from './token-requests.ts';

/** Tokens of service accounts, cached until their renewal is due. */
export class Tokens {
  readonly #call: ApiCall;
  readonly #context: Pick<ActorContext, 'clock' | 'random' | 'log'>;
  readonly #kept = new Map<string, KeptToken>();
  /** By pod, the keys of its tokens. */
  readonly #ofPod = new Map<string, Set<string>>();
  /** Concurrent requests for the same token share one call. */
  readonly #asked = new Map<string, Promise<ObjectAnswer<TokenContent>>>();

  constructor(call: ApiCall, context: Pick<ActorContext, 'clock' | 'random' | 'log'>) {
    this.#call = call;
    this.#context = context;
  }

  async ask(question: TokenQuestion): Promise<ObjectAnswer<TokenContent>> {
    const key = tokenKey(question);
    const kept = this.#kept.get(key);
    const { clock } = this.#context;
    if (kept !== undefined && !isDueForRenewal(kept, { now: clock.now(), monotonic: clock.monotonic() })) {
      return found(kept);
    }
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = this.#request(key, question).finally(() => this.#asked.delete(key));
      this.#asked.set(key, asked);
    }
    const answer = await asked;
    if (answer.type === 'found' || kept === undefined || kept.expiresAt <= clock.now()) return answer;
    const { namespace, serviceAccount } = question;
    const problem = answer.type === 'unavailable' ? answer.message : 'the service account does not exist';
    this.#context.log.warn(
      { namespace, serviceAccount, problem },
      'the service account token could not be renewed; the previous token is still valid and stays in use',
    );
    return found(kept);
  }

  forgetPod(podUid: string): void {
    for (const key of this.#ofPod.get(podUid) ?? []) this.#kept.delete(key);
    this.#ofPod.delete(podUid);
  }

  tidy(): void {
    const now = this.#context.clock.now();
    for (const [uid, keys] of this.#ofPod) {
      for (const key of keys) {
        if ((this.#kept.get(key)?.expiresAt ?? now) > now) continue;
        this.#kept.delete(key);
        keys.delete(key);
      }
      if (keys.size === 0) this.#ofPod.delete(uid);
    }
  }

  async #request(key: string, question: TokenQuestion): Promise<ObjectAnswer<TokenContent>> {
    const { namespace, serviceAccount, expirationSeconds } = question;
    const path = tokenPath(namespace, serviceAccount);
    const request = { verb: 'create', path, body: tokenRequest(question), priority: 'object' } as const;
    const outcome = readable(request, await this.#call(request));
    if (!outcome.ok) {
      if (isNotFound(outcome.fault)) return { type: 'missing' };
      return { type: 'unavailable', message: `failed to fetch token: ${apiFaultText(outcome.fault)}` };
    }
    const token = tokenIn(outcome.value);
    if (token === undefined)
      return { type: 'unavailable', message: 'failed to fetch token: the answer contains no token' };
    const madeAt = this.#context.clock.monotonic();
    const kept = { ...token, madeAt, expirationSeconds, jitterMs: this.#context.random() * TOKEN_JITTER_MS };
    this.#kept.set(key, kept);
    const { uid } = question.pod;
    this.#ofPod.set(uid, (this.#ofPod.get(uid) ?? new Set()).add(key));
    return found(kept);
  }
}

const found = ({ token, expiresAt }: KeptToken): ObjectAnswer<TokenContent> => ({
  type: 'found',
  value: { token, expiresAt },
});
