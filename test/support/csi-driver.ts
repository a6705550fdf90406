import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Server, ServerCredentials, status, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import {
  NodeExpandVolumeResponse,
  NodeGetCapabilitiesResponse,
  NodeGetInfoResponse,
  NodeGetVolumeStatsResponse,
  NodePublishVolumeResponse,
  NodeService,
  NodeServiceCapability_RPC_Type,
  NodeStageVolumeResponse,
  NodeUnpublishVolumeResponse,
  NodeUnstageVolumeResponse,
  VolumeUsage_Unit,
  type NodeExpandVolumeRequest,
  type NodeGetVolumeStatsRequest,
  type NodePublishVolumeRequest,
  type NodeStageVolumeRequest,
  type NodeUnpublishVolumeRequest,
  type NodeUnstageVolumeRequest,
} from '../../src/csi/gen/csi.ts';
import { PluginInfo, RegistrationService, RegistrationStatusResponse } from '../../src/csi/gen/registration.ts';
import { parseMountInfo, systemMounter } from '../../src/volumes/disk/mounter.ts';

/**
 * A small but real CSI driver: volumes are directories on this host, staged and published by bind mounts. Block
 * volumes are loop devices over files.
 */
export class CsiDriver {
  /** Every call in order: `stage vol-1`. */
  readonly calls: string[] = [];
  readonly published: NodePublishVolumeRequest[] = [];
  readonly expanded: NodeExpandVolumeRequest[] = [];
  /** `true` if it reports that it can expand file systems. */
  expands = false;
  /** `true` if it reports the usage and condition of volumes. */
  measures = false;
  readonly measured: NodeGetVolumeStatsRequest[] = [];
  /** The call that the driver rejects. */
  refuses: 'publish' | undefined;
  readonly #server = new Server();
  readonly #data: string;
  readonly #name: string;
  /** Devices of volumes that are staged as block devices. */
  readonly #devices: Map<string, string>;

  /** `devices`: what an earlier life of the driver has attached, by volume. */
  constructor(name: string, data: string, devices = new Map<string, string>()) {
    this.#devices = devices;
    this.#name = name;
    this.#data = data;
  }

  /** Serves on a socket of its own, and makes itself known in the registry. */
  async start(registry: string): Promise<void> {
    const socket = join(registry, `${this.#name}-reg.sock`);
    this.#server.addService(NodeService, this.#node());
    this.#server.addService(RegistrationService, {
      getInfo: (_: unknown, answer: sendUnaryData<PluginInfo>) =>
        answer(
          null,
          PluginInfo.fromPartial({
            type: 'CSIPlugin',
            name: this.#name,
            endpoint: socket,
            supportedVersions: ['1.0.0'],
          }),
        ),
      notifyRegistrationStatus: (_: unknown, answer: sendUnaryData<RegistrationStatusResponse>) =>
        answer(null, RegistrationStatusResponse.create()),
    });
    await new Promise<void>((resolve, reject) =>
      this.#server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
  }

  stop(): void {
    this.#server.forceShutdown();
  }

  /** Forgets all mounts, for a test that has unmounted them. */
  detachAll(): void {
    for (const volume of this.#devices.keys()) this.#detach(volume);
  }

  #node() {
    const unary =
      <Q, A>(work: (request: Q) => Promise<A>) =>
      (call: ServerUnaryCall<Q, A>, answer: sendUnaryData<A>): void => {
        work(call.request).then(
          (value) => answer(null, value),
          (error: unknown) => answer({ code: status.INTERNAL, details: String(error) }),
        );
      };
    const { STAGE_UNSTAGE_VOLUME, EXPAND_VOLUME, GET_VOLUME_STATS, VOLUME_CONDITION } = NodeServiceCapability_RPC_Type;
    return {
      nodeGetInfo: unary(async () => NodeGetInfoResponse.fromPartial({ nodeId: 'node-7', maxVolumesPerNode: 9n })),
      nodeGetCapabilities: unary(async () =>
        NodeGetCapabilitiesResponse.fromPartial({
          capabilities: [
            STAGE_UNSTAGE_VOLUME,
            ...(this.expands ? [EXPAND_VOLUME] : []),
            ...(this.measures ? [GET_VOLUME_STATS, VOLUME_CONDITION] : []),
          ].map((type) => ({
            rpc: { type },
          })),
        }),
      ),
      nodeStageVolume: unary(async ({ volumeId, stagingTargetPath, volumeCapability }: NodeStageVolumeRequest) => {
        this.calls.push(`stage ${volumeId}`);
        if (volumeCapability?.block !== undefined) this.#attach(volumeId);
        else await bindOnce(this.#backing(volumeId), stagingTargetPath);
        return NodeStageVolumeResponse.create();
      }),
      nodeUnstageVolume: unary(async ({ volumeId, stagingTargetPath }: NodeUnstageVolumeRequest) => {
        this.calls.push(`unstage ${volumeId}`);
        await unbind(stagingTargetPath);
        this.#detach(volumeId);
        return NodeUnstageVolumeResponse.create();
      }),
      nodePublishVolume: unary(async (request: NodePublishVolumeRequest) => {
        const { volumeId, stagingTargetPath, targetPath } = request;
        this.calls.push(`publish ${volumeId}`);
        if (this.refuses === 'publish') throw new Error('not now');
        this.published.push(request);
        const device = this.#devices.get(volumeId);
        if (request.volumeCapability?.block !== undefined && device !== undefined) {
          mkdirSync(dirname(targetPath), { recursive: true });
          if (!existsSync(targetPath)) writeFileSync(targetPath, '');
          await bindOnce(device, targetPath);
          return NodePublishVolumeResponse.create();
        }
        mkdirSync(targetPath, { recursive: true });
        await bindOnce(stagingTargetPath === '' ? this.#backing(volumeId) : stagingTargetPath, targetPath);
        return NodePublishVolumeResponse.create();
      }),
      nodeUnpublishVolume: unary(async ({ volumeId, targetPath }: NodeUnpublishVolumeRequest) => {
        this.calls.push(`unpublish ${volumeId}`);
        await unbind(targetPath);
        if (this.#devices.has(volumeId)) rmSync(targetPath, { force: true });
        else if (existsSync(targetPath)) rmdirSync(targetPath);
        return NodeUnpublishVolumeResponse.create();
      }),
      nodeGetVolumeStats: unary(async (request: NodeGetVolumeStatsRequest) => {
        this.measured.push(request);
        // The driver does not know an unpublished volume.
        if (!existsSync(request.volumePath)) throw new Error(`${request.volumePath} is not here`);
        if (this.#devices.has(request.volumeId)) return statsOf([[BYTES, 0n, BigInt(DEVICE_BYTES), 0n]], false);
        const { blocks, bfree, bavail, bsize, files, ffree } = statfsSync(request.volumePath, { bigint: true });
        const bytes = [BYTES, bavail * bsize, blocks * bsize, (blocks - bfree) * bsize] as const;
        const isFull = existsSync(join(request.volumePath, 'broken'));
        return statsOf([bytes, [INODES, ffree, files, files - ffree]], isFull);
      }),
      nodeExpandVolume: unary(async (request: NodeExpandVolumeRequest) => {
        this.calls.push(`expand ${request.volumeId}`);
        this.expanded.push(request);
        return NodeExpandVolumeResponse.fromPartial({ capacityBytes: request.capacityRange?.requiredBytes ?? 0n });
      }),
    };
  }

  #attach(volumeId: string): void {
    if (this.#devices.has(volumeId)) return;
    mkdirSync(this.#data, { recursive: true });
    const file = join(this.#data, `${volumeId}.img`);
    if (!existsSync(file)) writeFileSync(file, '');
    truncateSync(file, DEVICE_BYTES);
    this.#devices.set(volumeId, execFileSync('losetup', ['-f', '--show', file], { encoding: 'utf8' }).trim());
  }

  #detach(volumeId: string): void {
    const device = this.#devices.get(volumeId);
    if (device !== undefined) execFileSync('losetup', ['-d', device]);
    this.#devices.delete(volumeId);
  }

  #backing(volumeId: string): string {
    const directory = join(this.#data, volumeId);
    mkdirSync(directory, { recursive: true });
    return directory;
  }
}

/** The size of a block device. */
export const DEVICE_BYTES = 1024 * 1024;

const { BYTES, INODES } = VolumeUsage_Unit;
type Usage = readonly [unit: VolumeUsage_Unit, available: bigint, total: bigint, used: bigint];

const statsOf = (usage: readonly Usage[], abnormal: boolean): NodeGetVolumeStatsResponse =>
  NodeGetVolumeStatsResponse.fromPartial({
    usage: usage.map(([unit, available, total, used]) => ({ unit, available, total, used })),
    volumeCondition: { abnormal, message: abnormal ? 'broken' : '' },
  });

const isMounted = (path: string): boolean =>
  parseMountInfo(readFileSync('/proc/self/mountinfo', 'utf8')).some((point) => point.path === path);

async function bindOnce(source: string, target: string): Promise<void> {
  if (!isMounted(target)) await systemMounter.bind(source, target);
}

async function unbind(target: string): Promise<void> {
  if (isMounted(target)) await systemMounter.unmount(target);
}
