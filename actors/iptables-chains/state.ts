import { assertNever } from '../../src/kube/text/assert-never.ts';
import { FAMILIES } from './chains.ts';
import type { Family, FamilyOutcome, IptablesChainsProtocol } from './protocol.ts';

/** `unmade`: chains are made at the next look. `absent`: the family is not looked at again. */
type FamilyState = 'new' | 'unmade' | 'made' | 'absent';

export interface IptablesChainsState {
  readonly families: Readonly<Record<Family, FamilyState>>;
}

export type IptablesChainsEffect =
  | { readonly type: 'look'; readonly families: readonly FamilyToLookAt[] }
  | { readonly type: 'look-later'; readonly afterMs: number }
  | { readonly type: 'report'; readonly problem: string | undefined }
  | { readonly type: 'log'; readonly level: 'info' | 'warn'; readonly message: string };

export interface FamilyToLookAt {
  readonly family: Family;
  readonly state: 'new' | 'unmade' | 'made';
}

export interface Decision {
  readonly next: IptablesChainsState;
  readonly effects: readonly IptablesChainsEffect[];
}

const LOOK_EVERY_MS = 60_000;

export const initialState: IptablesChainsState = { families: { IPv4: 'new', IPv6: 'new' } };

/** Returns the look that a new incarnation begins with, and the next one after each wait. */
export const look = ({ families }: IptablesChainsState): IptablesChainsEffect => ({
  type: 'look',
  families: FAMILIES.flatMap((family): readonly FamilyToLookAt[] => {
    const state = families[family];
    return state === 'absent' ? [] : [{ family, state }];
  }),
});

export function decide(state: IptablesChainsState, command: IptablesChainsProtocol['command']): Decision {
  switch (command.type) {
    case 'look-due':
      return { next: state, effects: [look(state)] };
    case 'look-ended':
      return lookEnded(state, command.outcomes);
    default:
      return assertNever(command, 'iptables chains command');
  }
}

function lookEnded(state: IptablesChainsState, outcomes: readonly FamilyOutcome[]): Decision {
  const families = { ...state.families };
  const effects: IptablesChainsEffect[] = [];
  const log = (level: 'info' | 'warn', message: string): void => void effects.push({ type: 'log', level, message });
  const problems: string[] = [];
  for (const { family, outcome } of outcomes) {
    const before = families[family];
    switch (outcome.type) {
      case 'absent':
        families[family] = 'absent';
        break;
      case 'untouched':
        break;
      case 'made':
        families[family] = 'made';
        log(
          'info',
          before === 'made'
            ? `iptables of ${family} were flushed; chains are made again`
            : `iptables chains of ${family} are made`,
        );
        break;
      case 'failed':
        families[family] = 'unmade';
        problems.push(`${family}: ${outcome.problem}`);
        if (before !== 'unmade')
          log('warn', `iptables chains of ${family} cannot be made: ${outcome.problem}; retrying in 60 s`);
        break;
      default:
        assertNever(outcome, 'outcome of a look');
    }
  }
  const next = { families };
  if (FAMILIES.every((family) => families[family] === 'absent')) {
    log('info', 'no iptables can be used on this host: the chain KUBE-IPTABLES-HINT is not made');
    return { next, effects };
  }
  const problem = problems.length === 0 ? undefined : problems.join('; ');
  return { next, effects: [...effects, { type: 'report', problem }, { type: 'look-later', afterMs: LOOK_EVERY_MS }] };
}
