import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { GarbageCollector } from '../../../actors/garbage-collector/actor.ts';
import type { DirectoryRemoval } from '../../../actors/garbage-collector/collect-directories.ts';
import type { GarbageCollectorProtocol } from '../../../actors/garbage-collector/protocol.ts';
import type { ImagePolicy } from '../../../actors/garbage-collector/plan-images.ts';
import type { PodOnNode, PodsOnNode } from '../../../actors/pod-manager/protocol.ts';
import {
  Container,
  ContainerState,
  Image,
  ImageFsInfoResponse,
  ListContainersResponse,
  ListImagesResponse,
  ListPodSandboxResponse,
  PodSandbox,
  PodSandboxState,
} from '../../../src/cri/gen/api.ts';
import { podUid } from '../../../src/kube/ids.ts';
import { hostPodFiles as files } from '../../../src/host/pod-files.ts';
import { actorUnderTest } from '../../support/actor-under-test.ts';
import { FakeCriClient } from '../../support/fake-cri-client.ts';

/** `a.main.2`: instance 2 of container main of pod a. */
export const listed = (
  id: string,
  state: ContainerState = ContainerState.CONTAINER_EXITED,
  image = 'sha256:used',
): Container => {
  const [uid = '', name = '', count = '0'] = id.split('.');
  return Container.fromPartial({
    id,
    podSandboxId: `${uid}.s`,
    state,
    imageRef: image,
    createdAt: BigInt(1_000 + Number(count)) * 1_000_000n,
    labels: {
      'io.kubernetes.pod.uid': uid,
      'io.kubernetes.pod.name': `pod-${uid}`,
      'io.kubernetes.pod.namespace': 'shop',
      'io.kubernetes.container.name': name,
    },
    annotations: { 'io.kubernetes.container.restartCount': count },
  });
};

export const listedSandbox = (id: string): PodSandbox =>
  PodSandbox.fromPartial({
    id,
    state: PodSandboxState.SANDBOX_NOTREADY,
    createdAt: 1_000_000_000n,
    labels: { 'io.kubernetes.pod.uid': id.split('.')[0] ?? '' },
  });

export const listedImage = (id: string, parts: Partial<Image> = {}): Image =>
  Image.fromPartial({ id, repoTags: [`registry.local/${id}:1`], size: 100n, ...parts });

/** The containers and sandboxes of the runtime. Removals take effect. */
export interface Holds {
  containers: Container[];
  sandboxes: PodSandbox[];
  images: Image[];
}

/** The collector on a runtime of lists, a disk below a new folder, and a pod manager that names `pods`. */
export async function collector(options: {
  readonly holds?: Partial<Holds>;
  readonly pods?: Readonly<Record<string, PodOnNode['life']>>;
  readonly knowsAll?: boolean;
  readonly imageVolumes?: readonly string[];
  readonly sandboxImage?: string;
  readonly images?: Partial<ImagePolicy>;
  readonly disk?: { readonly capacityBytes: number; readonly availableBytes: number };
  readonly removePodDirectory?: (uid: string) => Promise<DirectoryRemoval>;
}) {
  const root = mkdtempSync(join(tmpdir(), 'garbage-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = (path: string): string => join(root, path);
  const holds: Holds = { containers: [], sandboxes: [], images: [], ...options.holds };
  const runtime = new FakeCriClient({
    ListContainers: () => ({ ok: true, value: ListContainersResponse.fromPartial({ containers: holds.containers }) }),
    ListPodSandbox: () => ({ ok: true, value: ListPodSandboxResponse.fromPartial({ items: holds.sandboxes }) }),
    ListImages: () => ({ ok: true, value: ListImagesResponse.fromPartial({ images: holds.images }) }),
    ImageFsInfo: () => ({
      ok: true,
      value: ImageFsInfoResponse.fromPartial({ imageFilesystems: [{ fsId: { mountpoint: '/images' } }] }),
    }),
    ImageStatus: ({ request }) => ({
      ok: true,
      value: { image: holds.images.find(({ repoTags }) => repoTags.includes(request.image?.image ?? '')), info: {} },
    }),
    Status: () => ({
      ok: true,
      value: { info: { config: JSON.stringify({ sandboxImage: options.sandboxImage ?? 'registry.local/pause:1' }) } },
    }),
    RemoveContainer: ({ request }) => {
      holds.containers = holds.containers.filter(({ id }) => id !== request.containerId);
      return undefined;
    },
    RemoveImage: ({ request }) => {
      holds.images = holds.images.filter(({ id }) => id !== request.image?.image);
      return undefined;
    },
  });
  const events: string[] = [];
  const counted: string[] = [];
  const metrics = {
    imageCollected: (reason: string) => void counted.push(`image ${reason}`),
    orphansCleaned: (cleaned: number, failed: number) => void counted.push(`orphans ${cleaned}/${failed}`),
  };
  const cgroups: string[] = [];
  const pods: { here: PodsOnNode } = {
    here: {
      knowsAll: options.knowsAll ?? true,
      pods: Object.entries(options.pods ?? {}).map(([uid, life]) => ({
        podUid: podUid(uid),
        life,
        ...(options.imageVolumes === undefined ? {} : { imageVolumes: options.imageVolumes }),
      })),
    },
  };
  const unmounted: string[] = [];
  const test = await actorUnderTest<GarbageCollectorProtocol>({
    address: 'garbage-collector',
    others: { 'pod-manager': () => pods.here },
    startMs: 10_000_000,
    make: (context) =>
      new GarbageCollector(context, {
        containers: {
          cri: runtime,
          files,
          podLogsDir: at('pods-logs'),
          legacyLogsDir: at('links'),
          policy: { minAgeMs: 0, maxPerPodContainer: 1, maxContainers: -1 },
        },
        images: {
          cri: runtime,
          metrics,
          filesystemOf: () => Promise.resolve(options.disk ?? { capacityBytes: 1_000, availableBytes: 500 }),
          nodeEvent: ({ reason, message }) => void events.push(`${reason}: ${message}`),
          policy: { highThresholdPercent: 85, lowThresholdPercent: 80, minAgeMs: 0, maxAgeMs: 0, ...options.images },
        },
        directories: {
          cri: runtime,
          metrics,
          files,
          podsDir: at('pods'),
          volumes: {
            unmount: (uid) => {
              unmounted.push(uid);
              return Promise.resolve({ ok: true });
            },
          },
          removePodDirectory:
            options.removePodDirectory ??
            ((uid) => {
              files.removeEntry(at('pods'), uid);
              return Promise.resolve('removed');
            }),
          removeCgroups: (uid) => {
            cgroups.push(uid);
            return undefined;
          },
        },
      }),
  });
  return {
    ...test,
    runtime,
    holds,
    events,
    counted,
    unmounted,
    cgroups,
    pods,
    write(path: string) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), '');
    },
    link(path: string, target: string) {
      mkdirSync(dirname(at(path)), { recursive: true });
      symlinkSync(at(target), at(path));
    },
    /** Names in a folder, sorted. */
    names: (path: string): readonly string[] => readdirSync(at(path)).toSorted(),
    removedContainers: () => runtime.requests('RemoveContainer').map(({ containerId }) => containerId),
    removedImages: () => runtime.requests('RemoveImage').map(({ image }) => image?.image),
  };
}
