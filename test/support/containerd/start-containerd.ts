import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  ImageServiceService,
  ImageStatusRequest,
  ListContainersRequest,
  ListPodSandboxRequest,
  RuntimeServiceService,
  type Container,
  type PodSandbox,
} from '../../../src/cri/gen/api.ts';
import { INSTANCE_PREFIX, removeAbandonedInstances, signOwnership } from './abandoned-instances.ts';
import { claimBridgeNetwork } from './bridge-network.ts';
import { containerdAvailability, type ContainerdTools } from './containerd-availability.ts';
import { cniConflist, containerdConfigToml, containerdLayout, type ContainerdLayout } from './containerd-config.ts';
import { runDaemon, type DaemonRun } from './containerd-daemon.ts';
import { removeAllPods } from './cri-cleanup.ts';
import { connectCri, type CriConnection } from './cri-connection.ts';
import { findLeftovers, removeByForce } from './leftovers.ts';
import { runProgram } from './run-program.ts';
import { testImages, type TestImage } from './test-images.ts';
import { waitUntil } from './wait-until.ts';

/** A containerd that belongs to one test: nothing of it is shared with another instance or with the machine's own. */
export interface PrivateContainerd extends AsyncDisposable {
  readonly dir: string;
  readonly socketPath: string;
  /** The CRI endpoint as agents take it: `unix:///…`. */
  readonly endpoint: string;
  readonly logFile: string;
  /** Name of its bridge link. */
  readonly bridge: string;
  /** Pod addresses come from this range. */
  readonly subnet: string;
  /** A client that outlives daemon restarts. */
  readonly cri: CriConnection;
  /** Process id of the daemon, `undefined` while it is down. */
  readonly pid: number | undefined;
  containers(): Promise<readonly Container[]>;
  sandboxes(): Promise<readonly PodSandbox[]>;
  /** Adds an image; resolves once CRI lists it under all its tags. */
  importImage(image: TestImage): Promise<void>;
  /** Stops the daemon in order. Shims and containers keep running. */
  stopDaemon(): Promise<void>;
  /** Ends the daemon with SIGKILL. Shims and containers keep running. */
  kill(): Promise<void>;
  /** Starts the daemon again on the same root and state; does nothing while it runs. */
  startDaemon(): Promise<void>;
  restart(): Promise<void>;
  /**
   * Removes all pods, the daemon, its shims, mounts, bridge and directory. May be called again, and in any state.
   * Rejects if anything is still there afterwards.
   */
  stop(): Promise<void>;
}

/**
 * Starts a containerd with its own root, state, socket, bridge and images; resolves when CRI can run pods. Takes an
 * empty or new directory with a short path (a unix socket has 107 bytes), which `stop` removes; by default a temporary
 * one. Rejects, leaving nothing behind, if the machine lacks something or containerd does not come up.
 */
export async function startContainerd(dir?: string): Promise<PrivateContainerd> {
  const availability = containerdAvailability();
  if (!availability.available) throw new Error(`containerd cannot run here without ${availability.missing.join(', ')}`);
  // Remains of another dead test are no reason for this one to fail.
  await removeAbandonedInstances(tmpdir()).catch(() => []);
  const layout = containerdLayout(await instanceDir(dir), `hvl${randomBytes(4).toString('hex')}`);
  try {
    return await startIn(layout, availability.tools);
  } catch (error) {
    await removeByForce(layout);
    throw error;
  }
}

async function instanceDir(dir: string | undefined): Promise<string> {
  if (dir === undefined) return mkdtemp(join(tmpdir(), INSTANCE_PREFIX));
  await mkdir(dir, { recursive: true });
  return resolve(dir);
}

async function startIn(layout: ContainerdLayout, tools: ContainerdTools): Promise<PrivateContainerd> {
  await signOwnership(layout.dir, layout.bridge);
  const { subnet } = await claimBridgeNetwork(tools.ip, layout.bridge);
  await mkdir(layout.cniConfDir);
  await writeFile(join(layout.cniConfDir, '10-bridge.conflist'), cniConflist(layout, subnet));
  await writeFile(layout.configFile, containerdConfigToml(layout, tools));
  const cri = connectCri(layout.socketPath);
  try {
    const [run, images] = await Promise.all([runDaemon(layout, tools, cri), testImages(tools.busybox)]);
    const containerd = privateContainerd({ layout, tools, cri, subnet, run });
    await Promise.all(images.map((image) => containerd.importImage(image)));
    return containerd;
  } catch (error) {
    cri.close();
    throw error;
  }
}

interface Parts {
  readonly layout: ContainerdLayout;
  readonly tools: ContainerdTools;
  readonly cri: CriConnection;
  readonly subnet: string;
  readonly run: DaemonRun;
}

function privateContainerd({ layout, tools, cri, subnet, run: firstRun }: Parts): PrivateContainerd {
  let run = firstRun;
  let stopping: Promise<void> | undefined;

  async function startDaemon(): Promise<void> {
    if (run.hasEnded()) run = await runDaemon(layout, tools, cri);
  }

  async function importImage({ tags, archive }: TestImage): Promise<void> {
    const args = ['--address', layout.socketPath, '--namespace', 'k8s.io', 'images', 'import', '-'];
    await runProgram(tools.ctr, args, { input: archive });
    // ctr writes to containerd's store; the CRI plugin gets an event a moment later.
    const isListed = async (image: string): Promise<boolean> =>
      (await cri.call(ImageServiceService.imageStatus, ImageStatusRequest.create({ image: { image } }))).image !==
      undefined;
    for (const tag of tags) await waitUntil(() => isListed(tag), { what: `CRI lists ${tag}`, withinMs: 10_000 });
  }

  async function removeEverything(): Promise<void> {
    // Only the runtime can remove a pod's network completely, so it is started for that if it was down.
    await startDaemon()
      .then(() => removeAllPods(cri))
      .catch(() => undefined);
    await run.end('SIGTERM');
    cri.close();
    await removeByForce(layout);
    const { processes, mounts, links } = await findLeftovers(layout);
    const left = [...processes.map(({ pid, program }) => `process ${pid} (${program})`), ...mounts, ...links];
    if (left.length > 0) throw new Error(`containerd in ${layout.dir} left behind: ${left.join(', ')}`);
  }

  const stop = (): Promise<void> => (stopping ??= removeEverything());

  return {
    dir: layout.dir,
    socketPath: layout.socketPath,
    endpoint: `unix://${layout.socketPath}`,
    logFile: layout.logFile,
    bridge: layout.bridge,
    subnet,
    cri,
    get pid() {
      return run.hasEnded() ? undefined : run.pid;
    },
    containers: async () =>
      (await cri.call(RuntimeServiceService.listContainers, ListContainersRequest.create())).containers,
    sandboxes: async () => (await cri.call(RuntimeServiceService.listPodSandbox, ListPodSandboxRequest.create())).items,
    importImage,
    stopDaemon: () => run.end('SIGTERM'),
    kill: () => run.end('SIGKILL'),
    startDaemon,
    async restart() {
      await run.end('SIGTERM');
      await startDaemon();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
