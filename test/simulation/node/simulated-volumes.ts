import { buildPayload } from '../../../src/volumes/plan/build-payload.ts';
import type { SetUpOrder, VolumeOutcome } from '../../../src/volumes/disk/set-up-volume.ts';
import type { FilesPlan, HostPathPlan } from '../../../src/volumes/plan/volume-plan.ts';
import { volumePlace } from '../../../src/volumes/plan/volume-place.ts';
import type { VolumeOrder } from '../../../src/volumes/disk/volume-executor.ts';
import type { MemoryFiles } from './memory-files.ts';

const OK: VolumeOutcome = { ok: true };

/** The job thread's volume work, on the simulated disk. Nothing is mounted, and a write is one step. */
export function carryOutInMemory(files: MemoryFiles, order: VolumeOrder): VolumeOutcome {
  switch (order.type) {
    case 'set-up': {
      const { plan } = order;
      if (plan.type === 'refused') return { ok: false, message: plan.message };
      if (plan.type === 'host-path') return hostPath(files, plan);
      return plan.type === 'files' ? writeFiles(files, order, plan) : OK;
    }
    case 'bind-sub-paths':
    case 'own-volume':
    case 'map-device':
    case 'unmap-devices':
      return OK;
    case 'tear-down':
      files.removeEntry(`${order.rootDir}/pods/${order.podUid}`, 'volumes');
      return OK;
    default:
      return order satisfies never;
  }
}

function hostPath(files: MemoryFiles, { path, check }: HostPathPlan): VolumeOutcome {
  if (check !== 'Directory' || files.kindOf(path) === 'directory') return OK;
  return { ok: false, message: `hostPath type check failed: ${path} is not a directory` };
}

function writeFiles(files: MemoryFiles, order: SetUpOrder, plan: FilesPlan): VolumeOutcome {
  const built = buildPayload(plan, order.fetched, { fsGroup: order.pod.fsGroup });
  if (!built.ok) return built;
  const [volumes, plugin, name] = volumePlace(plan) ?? ['', '', ''];
  const parent = `${order.rootDir}/pods/${order.pod.podUid}/${volumes}/${plugin}`;
  files.removeEntry(parent, name);
  files.makeDirectory(`${parent}/${name}`);
  for (const [path, { bytes }] of built.payload) {
    files.writeFile(`${parent}/${name}/${path}`, Buffer.from(bytes).toString('utf8'));
  }
  return OK;
}
