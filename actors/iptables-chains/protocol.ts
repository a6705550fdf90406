import { addressOf } from '../../src/actor/messages/message.ts';

/** An address family, with its own program and its own tables. */
export type Family = 'IPv4' | 'IPv6';

/** The result of one check of a family. */
export interface FamilyOutcome {
  readonly family: Family;
  readonly outcome:
    /** This host has no iptables of the family. */
    | { readonly type: 'absent' }
    | { readonly type: 'made' }
    /** The canary is there, and so nothing was flushed. */
    | { readonly type: 'untouched' }
    | { readonly type: 'failed'; readonly problem: string };
}

/** Own timer: the chains are looked at again. Other actors send nothing. */
export type IptablesChainsTimer = { readonly type: 'look-due' };

/** Own report: a look at the chains has ended. */
export type IptablesChainsReport = { readonly type: 'look-ended'; readonly outcomes: readonly FamilyOutcome[] };

export interface IptablesChainsProtocol {
  readonly command: IptablesChainsTimer | IptablesChainsReport;
  readonly question: never;
  readonly answers: object;
}

export const IPTABLES_CHAINS = addressOf<IptablesChainsProtocol>('iptables-chains');
