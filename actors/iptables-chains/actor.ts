import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { Duty } from '../../src/health/duty.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { dutyOf } from '../health-monitor/client.ts';
import { lookAtFamily, type Iptables } from './look-at-family.ts';
import type { IptablesChainsProtocol } from './protocol.ts';
import { decide, initialState, look, type FamilyToLookAt, type IptablesChainsEffect } from './state.ts';

export interface IptablesChainsDeps {
  readonly iptables: Iptables;
  /** `makeIPTablesUtilChains`. */
  readonly makes: 'chains' | 'nothing';
}

/** Keeps the iptables chains that other software of a Kubernetes node looks for. */
export class IptablesChains implements Actor<IptablesChainsProtocol> {
  readonly #context: ActorContext<IptablesChainsProtocol>;
  readonly #deps: IptablesChainsDeps;
  readonly #duty: Duty;
  #state = initialState;

  constructor(context: ActorContext<IptablesChainsProtocol>, deps: IptablesChainsDeps) {
    this.#context = context;
    this.#deps = deps;
    this.#duty = dutyOf(context, {
      work: 'keep the iptables chains of the node',
      follows: 'other software may choose the wrong iptables, and packets to loopback addresses are not filtered',
      isLoggedByActor: true,
    });
  }

  start(): void {
    if (this.#deps.makes === 'chains') this.#perform(look(this.#state));
  }

  tell(command: IptablesChainsProtocol['command']): void {
    const { next, effects } = decide(this.#state, command);
    this.#state = next;
    for (const effect of effects) this.#perform(effect);
  }

  ask(question: never): never {
    return assertNever(question, 'iptables chains question');
  }

  #perform(effect: IptablesChainsEffect): void {
    const { clock, self, log } = this.#context;
    switch (effect.type) {
      case 'look':
        return this.#context.supervise(this.#look(effect.families));
      case 'look-later':
        clock.after(effect.afterMs, () => self.tell({ type: 'look-due' }));
        return;
      case 'report':
        return effect.problem === undefined ? this.#duty.worked() : this.#duty.failed(effect.problem);
      case 'log':
        return log[effect.level]({}, effect.message);
      default:
        return assertNever(effect, 'iptables chains effect');
    }
  }

  async #look(families: readonly FamilyToLookAt[]): Promise<void> {
    const { clock, self } = this.#context;
    const { iptables } = this.#deps;
    const outcomes = await Promise.all(families.map((family) => lookAtFamily(family, { iptables, clock })));
    self.tell({ type: 'look-ended', outcomes });
  }
}
