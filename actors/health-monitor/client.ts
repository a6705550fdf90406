import type { ActorContext, Caller } from '../../src/actor/actor.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import type { ApiFault, ApiOutcome } from '../../src/api/api-request.ts';
import type { FollowingDuty } from '../../src/api/reflector/reflector.ts';
import { Duty, type DutyAttempt, type DutySpec } from '../../src/health/duty.ts';
import { humanDuration } from '../../src/kube/text/human-duration.ts';
import { PLEG } from '../pleg/protocol.ts';
import { HEALTH_MONITOR, type ActorDuty } from './protocol.ts';

/** Returns a duty of one incarnation of an actor. The health monitor hears of its troubles. */
export function dutyOf(context: Pick<ActorContext, 'address' | 'clock' | 'log' | 'ref'>, spec: DutySpec): Duty {
  const { address, clock, log } = context;
  const monitor = context.ref(HEALTH_MONITOR);
  return new Duty(spec, {
    clock,
    log,
    report: (duty) =>
      monitor.tell(
        duty === undefined
          ? { type: 'duty-working', actor: address, work: spec.work }
          : { type: 'duty-failing', actor: address, duty },
      ),
  });
}

/**
 * Reports the outcome of a call to the API server. An unreachable server is no trouble of its callers: the API gateway
 * reports it once.
 */
export function judgeCall(duty: Pick<Duty, 'worked' | 'failed'>, fault: ApiFault | undefined): void {
  if (fault === undefined) return duty.worked();
  if (!isOfTheServer(fault)) duty.failed(fault.message);
}

/**
 * Times a call to the API server for its caller's duty: a call without an answer for 10 s is trouble, before the call
 * ends at its own deadline. `isFine`: faults that are no failure of the caller.
 */
export async function timedCall<T>(
  attempt: DutyAttempt,
  call: Promise<ApiOutcome<T>>,
  isFine: (fault: ApiFault) => boolean = () => false,
): Promise<ApiOutcome<T>> {
  const outcome = await call;
  if (outcome.ok || isFine(outcome.fault)) attempt.worked();
  else if (isOfTheServer(outcome.fault)) attempt.dropped();
  else attempt.failed(outcome.fault.message);
  return outcome;
}

const isOfTheServer = ({ kind }: ApiFault): boolean => kind === 'unreachable' || kind === 'not-sent';

/** Returns what a reflector reports to: the duty that counts at the moment. A list that is not answered is trouble too. */
export function followingDuty(dutyNow: () => Duty): FollowingDuty {
  let list: DutyAttempt | undefined;
  return {
    begun() {
      list?.dropped();
      list = dutyNow().attempt();
    },
    worked() {
      list?.worked();
      list = undefined;
      dutyNow().worked();
    },
    failed(fault) {
      list?.dropped();
      list = undefined;
      judgeCall(dutyNow(), fault);
    },
  };
}

const ASK_WITHIN = { deadlineMs: 5_000 };

/** Returns a question for all failing duties. A monitor that does not answer counts as a failing duty itself. */
export function failingDuties(context: Pick<Caller, 'ref'>): () => Promise<readonly ActorDuty[]> {
  const monitor = context.ref(HEALTH_MONITOR);
  return () =>
    answerOr(monitor.ask({ type: 'failing-duties' }, ASK_WITHIN), ({ message }) => [
      {
        actor: HEALTH_MONITOR,
        work: 'report failing duties',
        why: message,
        follows: 'troubles of other actors are not shown',
        failingForMs: ASK_WITHIN.deadlineMs,
      },
    ]);
}

/** Names failing duties. `undefined` when no duty fails. */
export const dutiesText = (duties: readonly ActorDuty[]): string | undefined =>
  duties.length === 0
    ? undefined
    : duties
        .map(
          ({ actor, work, failingForMs, why }) =>
            `${actor} cannot ${work} since ${humanDuration(failingForMs)}: ${why}`,
        )
        .join('; ');

const HEALTH_WITHIN = { deadlineMs: 10_000 };

/**
 * Returns a question why this node does not work on its pods: what the health check `syncloop` shows, and the watchdog
 * goes by. Rejects when PLEG does not answer.
 */
export function syncLoopProblem(context: Pick<Caller, 'ref'>): () => Promise<string | undefined> {
  const pleg = context.ref(PLEG);
  const failing = failingDuties(context);
  return async () => {
    const health = await pleg.ask({ type: 'pleg-health' }, HEALTH_WITHIN);
    if (!health.healthy) return 'PLEG has not relisted lately';
    return dutiesText((await failing()).filter(({ keepsNodeFromReady }) => keepsNodeFromReady === true));
  };
}
