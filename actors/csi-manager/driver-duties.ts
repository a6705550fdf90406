import type { CsiNode, CsiOutcome } from '../../src/csi/csi-client.ts';
import { DutyOfParts } from '../../src/health/duty-of-parts.ts';
import { dutyOf } from '../health-monitor/client.ts';

/** gRPC codes of a call that its driver did not answer. A refusal is an answer: the pod's event has its text. */
const CANCELED = 1;
const UNANSWERED: ReadonlySet<number> = new Set([4, 14]);

/** One duty for each driver: its calls are answered. A hanging volume is reported until a call for it is answered. */
export class DriverDuties {
  readonly #context: Parameters<typeof dutyOf>[0];
  readonly #duties = new Map<string, DutyOfParts>();

  constructor(context: Parameters<typeof dutyOf>[0]) {
    this.#context = context;
  }

  /** Watches all calls to a driver that registers, also again. */
  watched(driver: string, node: CsiNode): CsiNode {
    this.forget(driver);
    const duty = new DutyOfParts(
      dutyOf(this.#context, {
        work: `reach the CSI driver ${driver}`,
        follows: 'pods wait for its volumes',
      }),
    );
    this.#duties.set(driver, duty);
    return watchedNode(node, duty);
  }

  /** The driver is gone, and with it its trouble. Pods that wait for the driver have events. */
  forget(driver: string): void {
    this.#duties.get(driver)?.cease();
    this.#duties.delete(driver);
  }
}

/** The first call of a driver has no volume, and stands for the driver itself. */
const NO_VOLUME = '';

function watchedNode(node: CsiNode, duty: DutyOfParts): CsiNode {
  const watch = async <T>(method: string, volume: string, call: Promise<CsiOutcome<T>>): Promise<CsiOutcome<T>> => {
    const what = volume === NO_VOLUME ? method : `${method} of volume ${volume}`;
    const attempt = duty.attempt(volume, what);
    const outcome = await call;
    // The call was ended on this side.
    if (!outcome.ok && outcome.code === CANCELED) attempt.dropped();
    else if (!outcome.ok && UNANSWERED.has(outcome.code)) attempt.failed(`${what}: ${outcome.message}`);
    else attempt.worked();
    return outcome;
  };
  return {
    info: () => watch('NodeGetInfo', NO_VOLUME, node.info()),
    capabilities: () => watch('NodeGetCapabilities', NO_VOLUME, node.capabilities()),
    stage: (request) => watch('NodeStageVolume', request.volumeId, node.stage(request)),
    unstage: (request) => watch('NodeUnstageVolume', request.volumeId, node.unstage(request)),
    publish: (request) => watch('NodePublishVolume', request.volumeId, node.publish(request)),
    unpublish: (request) => watch('NodeUnpublishVolume', request.volumeId, node.unpublish(request)),
    expand: (request) => watch('NodeExpandVolume', request.volumeId, node.expand(request)),
    stats: (request) => watch('NodeGetVolumeStats', request.volumeId, node.stats(request)),
    close: () => node.close(),
  };
}
