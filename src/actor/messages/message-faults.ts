import type { Clock } from '../clock.ts';
import type { TransportFault } from '../fault-seam.ts';
import type { Address } from './message.ts';

/** A message that a fault applies to. It can still be delivered, dropped or refused. */
export interface Faulted {
  readonly to: Address;
  /** Delivers the message, once for each call. */
  readonly pass: () => void;
  readonly drop: (why: string) => void;
  /** Ends a question. A tell is treated as by `drop`. */
  readonly refuse: (fault: TransportFault & { readonly type: 'refuse' }) => void;
}

/** Applies the faults of a fault plan at one place that messages pass. */
export class MessageFaults {
  readonly #clock: Clock;
  /** Messages that wait to be overtaken, by receiver. */
  readonly #held = new Map<Address, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  apply(fault: TransportFault | 'deliver', faulted: Faulted): void {
    if (fault === 'deliver') return this.#pass(faulted);
    switch (fault.type) {
      case 'drop':
        return faulted.drop('dropped on purpose');
      case 'delay':
        return this.#delay(faulted.pass, fault);
      case 'duplicate':
        for (let more = 0; more < fault.times; more++) faulted.pass();
        return this.#pass(faulted);
      case 'reorder':
        return this.#hold(faulted, fault);
      case 'refuse':
        return faulted.refuse(fault);
    }
  }

  #pass({ to, pass }: Faulted): void {
    pass();
    if (this.#held.size === 0) return;
    for (const release of this.#held.get(to) ?? []) release();
  }

  #delay(pass: () => void, { delayMs, lift }: TransportFault & { readonly type: 'delay' }): void {
    const release = (): void => {
      disarm();
      forget?.();
      pass();
    };
    const disarm = this.#clock.after(delayMs, release);
    const forget = lift?.add(release);
  }

  #hold({ to, pass }: Faulted, { atMostMs, lift }: TransportFault & { readonly type: 'reorder' }): void {
    let held = this.#held.get(to);
    if (held === undefined) this.#held.set(to, (held = new Set()));
    const all = held;
    const release = (): void => {
      disarm();
      forget?.();
      all.delete(release);
      if (all.size === 0 && this.#held.get(to) === all) this.#held.delete(to);
      pass();
    };
    const disarm = this.#clock.after(atMostMs, release);
    const forget = lift?.add(release);
    all.add(release);
  }
}
