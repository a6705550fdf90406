import { ActorFault } from '../src/actor/fault.ts';
import { CSI_PLUGIN, type DriverFigures, type DriverVolume } from '../src/stats/driver-volumes.ts';
import type { Caller } from './cri-gateway/client.ts';
import { CSI_MANAGER, type CsiManagerProtocol } from './csi-manager/protocol.ts';
import { VOLUME_MANAGER, type VolumeManagerProtocol } from './volume-manager/protocol.ts';

const ANSWER_WITHIN_MS = 10_000;

export type MeasuredVolume = DriverVolume & { readonly measured?: DriverFigures | undefined };

/**
 * The volumes of pods that drivers stand behind, with what these say of them. None where nobody answers: whoever asks asks again
 * by and by. Never rejects while its caller lives.
 */
export function driverVolumesThroughManagers(
  context: Caller,
): (podUids: readonly string[]) => Promise<readonly MeasuredVolume[]> {
  const volumes = context.ref<VolumeManagerProtocol>(VOLUME_MANAGER);
  const drivers = context.ref<CsiManagerProtocol>(CSI_MANAGER);
  const within = { deadlineMs: ANSWER_WITHIN_MS };
  const orNone = async <T>(asked: Promise<readonly T[]>): Promise<readonly T[]> => {
    try {
      return await asked;
    } catch (fault) {
      if (!(fault instanceof ActorFault) || fault.code === 'caller-ended') throw fault;
      return [];
    }
  };
  return async (podUids) => {
    const found = await orNone(volumes.ask({ type: 'driver-volumes', podUids }, within));
    const ofDrivers = found.filter(({ plugin }) => plugin === CSI_PLUGIN);
    // Most nodes have none.
    const figures =
      ofDrivers.length === 0
        ? []
        : await orNone(
            drivers.ask(
              { type: 'measure-volumes', volumes: ofDrivers.map(({ podUid, specName }) => ({ podUid, specName })) },
              within,
            ),
          );
    const measured = new Map(ofDrivers.map((volume, index) => [volume, figures[index]]));
    return found.map((volume) => ({ ...volume, measured: measured.get(volume) }));
  };
}
