import type { Caller } from '../../src/actor/actor.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import type { DriverFigures } from '../../src/stats/pod-disk.ts';
import type { DriverVolumeCalls } from '../../src/volumes/plan/driver-volume-calls.ts';
import { CSI_MANAGER, type CsiManagerQuestion } from './protocol.ts';

/** Time for three calls to a driver, of up to two minutes each. */
const VOLUME_WITHIN_MS = 400_000;
const MEASURED_WITHIN_MS = 10_000;

/** Volumes of storage drivers, made by the CSI manager. The volume manager repeats a lost question. */
export function csiManagerClient(context: Caller): DriverVolumeCalls {
  const manager = context.ref(CSI_MANAGER);
  const options = { deadlineMs: VOLUME_WITHIN_MS };
  const lost = ({ message }: Error) => ({ ok: false as const, message: `no answer from the CSI manager: ${message}` });
  return {
    make: ({ podUid, podName, namespace, fsGroup }, plan) => {
      const { serviceAccount } = plan;
      const pod = { podUid, podName, namespace, serviceAccount, ...(fsGroup === undefined ? {} : { fsGroup }) };
      return answerOr(manager.ask({ type: 'set-up-volume', pod, plan }, options), lost);
    },
    takeAway: (podUid) => answerOr(manager.ask({ type: 'tear-down-volumes', podUid }, options), lost),
  };
}

type MeasuredVolumes = Extract<CsiManagerQuestion, { type: 'measure-volumes' }>['volumes'];

/**
 * Figures that the drivers measured for their volumes, in the order of `volumes`. Empty when no answer came: the next
 * walk asks again.
 */
export const driverFiguresClient = (
  context: Pick<Caller, 'ref'>,
): ((volumes: MeasuredVolumes) => Promise<readonly (DriverFigures | undefined)[]>) => {
  const manager = context.ref(CSI_MANAGER);
  return (volumes) =>
    answerOr(manager.ask({ type: 'measure-volumes', volumes }, { deadlineMs: MEASURED_WITHIN_MS }), () => []);
};
