import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as cri from '../../src/cri/gen/api.ts';
import { ImageServiceService as images, RuntimeServiceService as runtime } from '../../src/cri/gen/api.ts';
import type { CriConnection } from './containerd/cri-connection.ts';
import { waitUntil } from './containerd/wait-until.ts';

/** A runtime to try, and what the trial needs of its surroundings. */
export interface RuntimeUnderTest {
  readonly cri: CriConnection;
  /** A present image with `sh` and `sleep`. */
  readonly image: string;
  /** The name of an image that is not there. */
  readonly imageAbsent: string;
  /** An absolute directory that log directories may be made in. */
  readonly logRoot: string;
  close(): Promise<void>;
}

/**
 * Behaviour of the containers, by container name: a simulated runtime reads it from its script, a real one runs the
 * command.
 */
export const CONTRACT_COMMANDS = {
  /** Runs until killed: the first process of a container ignores TERM without a handler. */
  stubborn: ['sleep', '1000'],
  'exits-0': ['sh', '-c', 'exit 0'],
  'exits-3': ['sh', '-c', 'exit 3'],
  /** Ends well, and soon, when it gets a TERM; logs `ready` once it can. */
  polite: ['sh', '-c', 'trap "exit 0" TERM; echo ready; while :; do sleep 0.1; done'],
} as const;
export type ContractContainer = keyof typeof CONTRACT_COMMANDS;

/** Commands for `execSync` in container `stubborn`. */
export const CONTRACT_EXECS = {
  answers: ['sh', '-c', 'echo out; exit 7'],
  hangs: ['sleep', '1001'],
} as const;

/** The kubelet's default without a shared process namespace: each container has its own first process. */
const OWN_PROCESSES = { pid: cri.NamespaceMode.CONTAINER };
const UNKNOWN_ID = 'f'.repeat(64);
const GRPC = { deadlineExceeded: 4, notFound: 5 };
/** Any gRPC error: runtimes choose different codes here, and no caller depends on them. */
const REFUSED = { code: expect.any(Number) as number };

const doneOrCode = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'done',
    (error: unknown) => (error as { code?: unknown }).code,
  );
const { CONTAINER_CREATED, CONTAINER_RUNNING, CONTAINER_EXITED } = cri.ContainerState;
const { SANDBOX_READY, SANDBOX_NOTREADY } = cri.PodSandboxState;

interface Pod {
  readonly sandboxId: string;
  readonly config: cri.PodSandboxConfig;
}

class Subject {
  readonly runtime: RuntimeUnderTest;
  readonly #cri: CriConnection;

  constructor(runtime: RuntimeUnderTest) {
    this.runtime = runtime;
    this.#cri = runtime.cri;
  }

  podConfig(name: string): cri.PodSandboxConfig {
    const uid = randomUUID();
    return cri.PodSandboxConfig.create({
      metadata: { name, namespace: 'contract', uid, attempt: 0 },
      hostname: name,
      logDirectory: join(this.runtime.logRoot, `contract_${name}_${uid}`),
      labels: { 'io.kubernetes.pod.name': name, 'io.kubernetes.pod.uid': uid },
      annotations: { note: 'kept as given' },
      linux: { securityContext: { namespaceOptions: OWN_PROCESSES } },
    });
  }

  async runPod(name: string): Promise<Pod> {
    const config = this.podConfig(name);
    return { sandboxId: await this.runSandbox(config), config };
  }

  async runSandbox(config: cri.PodSandboxConfig): Promise<string> {
    return (await this.#cri.call(runtime.runPodSandbox, { config, runtimeHandler: '' })).podSandboxId;
  }

  containerConfig(name: ContractContainer, attempt = 0): cri.ContainerConfig {
    return cri.ContainerConfig.create({
      metadata: { name, attempt },
      image: { image: this.runtime.image },
      command: [...CONTRACT_COMMANDS[name]],
      labels: { 'io.kubernetes.container.name': name },
      annotations: { 'io.kubernetes.container.restartCount': String(attempt) },
      logPath: `${name}/${attempt}.log`,
      linux: { securityContext: { namespaceOptions: OWN_PROCESSES } },
    });
  }

  async create(pod: Pod, name: ContractContainer, attempt = 0): Promise<string> {
    const config = this.containerConfig(name, attempt);
    const request = { podSandboxId: pod.sandboxId, config, sandboxConfig: pod.config };
    return (await this.#cri.call(runtime.createContainer, request)).containerId;
  }

  async start(pod: Pod, name: ContractContainer): Promise<string> {
    const containerId = await this.create(pod, name);
    await this.#cri.call(runtime.startContainer, { containerId });
    return containerId;
  }

  async status(containerId: string): Promise<cri.ContainerStatus> {
    const { status } = await this.#cri.call(runtime.containerStatus, { containerId, verbose: false });
    if (!status) throw new Error(`no status of container ${containerId}`);
    return status;
  }

  async sandboxStatus(podSandboxId: string): Promise<cri.PodSandboxStatus> {
    const { status } = await this.#cri.call(runtime.podSandboxStatus, { podSandboxId, verbose: false });
    if (!status) throw new Error(`no status of sandbox ${podSandboxId}`);
    return status;
  }

  exited(containerId: string): Promise<cri.ContainerStatus> {
    return waitUntil(
      async () => {
        const status = await this.status(containerId);
        return status.state === CONTAINER_EXITED && status;
      },
      { what: `container ${containerId} has exited`, withinMs: 10_000 },
    );
  }

  /** Waits until the container's log at the expected path contains this text. */
  async logged(pod: Pod, name: ContractContainer, text: string): Promise<void> {
    const path = join(pod.config.logDirectory, `${name}/0.log`);
    const isLogged = async (): Promise<boolean> => (await readFile(path, 'utf8')).includes(text);
    await waitUntil(isLogged, { what: `"${text}" in ${path}`, withinMs: 10_000 });
  }

  stop(containerId: string, seconds: number): Promise<cri.StopContainerResponse> {
    return this.#cri.call(runtime.stopContainer, { containerId, timeout: BigInt(seconds) });
  }

  async containerIds(filter: Parameters<typeof cri.ContainerFilter.create>[0]): Promise<string[]> {
    const { containers } = await this.#cri.call(runtime.listContainers, { filter: cri.ContainerFilter.create(filter) });
    return containers.map(({ id }) => id).sort();
  }

  async sandboxIds(filter: Parameters<typeof cri.PodSandboxFilter.create>[0]): Promise<string[]> {
    const { items } = await this.#cri.call(runtime.listPodSandbox, { filter: cri.PodSandboxFilter.create(filter) });
    return items.map(({ id }) => id).sort();
  }

  async removePod(podSandboxId: string): Promise<void> {
    await this.#cri.call(runtime.stopPodSandbox, { podSandboxId });
    await this.#cri.call(runtime.removePodSandbox, { podSandboxId });
  }
}

/**
 * The contract between a kubelet and a CRI runtime, in CRI calls alone: the simulated runtime and a real one pass
 * the same suite. `make` is called once.
 */
export function describeContainerRuntime(name: string, make: () => Promise<RuntimeUnderTest>): void {
  describe(`${name}, as a container runtime`, () => {
    let subject: Subject;
    let call: CriConnection['call'];
    beforeAll(async () => {
      subject = new Subject(await make());
      const { cri } = subject.runtime;
      call = (method, request, options) => cri.call(method, request, options);
    }, 60_000);
    afterAll(async () => subject?.runtime.close(), 60_000);

    it('says that it is ready', async () => {
      const { status } = await call(runtime.status, { verbose: false });
      const ready = status?.conditions.filter((condition) => condition.status).map(({ type }) => type);
      expect(ready).toEqual(expect.arrayContaining(['RuntimeReady', 'NetworkReady']));
    });

    it('says which CRI version it speaks', async () => {
      expect(await call(runtime.version, { version: '' })).toMatchObject({ runtimeApiVersion: 'v1' });
    });

    describe('a sandbox', () => {
      it('is ready once made, with an address and what its config says', async () => {
        const { sandboxId, config } = await subject.runPod('sandbox-ready');
        const status = await subject.sandboxStatus(sandboxId);
        expect(status).toMatchObject({
          id: sandboxId,
          state: SANDBOX_READY,
          metadata: config.metadata,
          labels: config.labels,
          annotations: config.annotations,
        });
        expect(status.network?.ip).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
        expect(status.createdAt).toBeGreaterThan(0n);
      });

      it('has an address of its own', async () => {
        const pods = [await subject.runPod('address-a'), await subject.runPod('address-b')];
        const statuses = await Promise.all(pods.map(({ sandboxId }) => subject.sandboxStatus(sandboxId)));
        expect(new Set(statuses.map(({ network }) => network?.ip)).size).toBe(2);
      });

      it('stops, with all that runs in it, is not ready, and may be stopped again', async () => {
        const pod = await subject.runPod('sandbox-stop');
        const containerId = await subject.start(pod, 'stubborn');
        await call(runtime.stopPodSandbox, { podSandboxId: pod.sandboxId });
        expect((await subject.sandboxStatus(pod.sandboxId)).state).toBe(SANDBOX_NOTREADY);
        expect(await subject.status(containerId)).toMatchObject({ state: CONTAINER_EXITED, exitCode: 137 });
        await call(runtime.stopPodSandbox, { podSandboxId: pod.sandboxId });
      });

      it('is gone, with its containers, once removed, and may be removed again', async () => {
        const pod = await subject.runPod('sandbox-remove');
        const containerId = await subject.start(pod, 'exits-0');
        // A stop may fail when the container exits at the same moment. Kubelets then retry.
        await subject.exited(containerId);
        await subject.removePod(pod.sandboxId);
        expect(await subject.sandboxIds({ id: pod.sandboxId })).toEqual([]);
        expect(await subject.containerIds({ id: containerId })).toEqual([]);
        await call(runtime.removePodSandbox, { podSandboxId: pod.sandboxId });
      });

      it('keeps its name from others of the same attempt until it is removed', async () => {
        const config = subject.podConfig('sandbox-name');
        const sandboxId = await subject.runSandbox(config);
        await expect(subject.runSandbox(config)).rejects.toThrow(`is reserved for "${sandboxId}"`);
        await subject.removePod(sandboxId);
        await subject.runSandbox(config);
      });

      it('keeps its name even while it is being made', async () => {
        const config = subject.podConfig('sandbox-race');
        const made = await Promise.allSettled([subject.runSandbox(config), subject.runSandbox(config)]);
        expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        expect(made.find(({ status }) => status === 'rejected')).toMatchObject({
          reason: { message: expect.stringMatching(/name ".+" is reserved for ".+"/) as string },
        });
      });

      it('is listed by id, by state and by labels', async () => {
        const ready = await subject.runPod('list-sandboxes-a');
        const stopped = await subject.runPod('list-sandboxes-b');
        await call(runtime.stopPodSandbox, { podSandboxId: stopped.sandboxId });
        const uid = ready.config.metadata?.uid ?? '';
        expect(await subject.sandboxIds({ id: ready.sandboxId })).toEqual([ready.sandboxId]);
        expect(await subject.sandboxIds({ id: UNKNOWN_ID })).toEqual([]);
        expect(await subject.sandboxIds({ labelSelector: { 'io.kubernetes.pod.uid': uid } })).toEqual([
          ready.sandboxId,
        ]);
        expect(await subject.sandboxIds({ labelSelector: { 'io.kubernetes.pod.uid': 'nobody' } })).toEqual([]);
        const listedReady = await subject.sandboxIds({ state: { state: SANDBOX_READY } });
        expect(listedReady).toContain(ready.sandboxId);
        expect(listedReady).not.toContain(stopped.sandboxId);
        expect(await subject.sandboxIds({ id: stopped.sandboxId, state: { state: SANDBOX_READY } })).toEqual([]);
        expect(await subject.sandboxIds({})).toEqual(expect.arrayContaining([ready.sandboxId, stopped.sandboxId]));
      });
    });

    describe('a container', () => {
      it('is created, runs, and says what its config says', async () => {
        const pod = await subject.runPod('container-life');
        const containerId = await subject.create(pod, 'stubborn');
        const config = subject.containerConfig('stubborn');
        expect(await subject.status(containerId)).toMatchObject({
          id: containerId,
          state: CONTAINER_CREATED,
          metadata: config.metadata,
          labels: config.labels,
          annotations: config.annotations,
          startedAt: 0n,
          finishedAt: 0n,
        });
        await call(runtime.startContainer, { containerId });
        const running = await subject.status(containerId);
        expect(running).toMatchObject({ state: CONTAINER_RUNNING, finishedAt: 0n, reason: '' });
        expect(running.startedAt).toBeGreaterThanOrEqual(running.createdAt);
        expect(running.imageRef).not.toBe('');
      });

      it.each([
        { container: 'exits-0', exitCode: 0, reason: 'Completed' },
        { container: 'exits-3', exitCode: 3, reason: 'Error' },
      ] as const)('that exits by itself with $exitCode says $reason', async ({ container, exitCode, reason }) => {
        const pod = await subject.runPod(`container-${container}`);
        const status = await subject.exited(await subject.start(pod, container));
        expect(status).toMatchObject({ exitCode, reason });
        // Not "after startedAt": a real runtime may note the start of a short life only after its end.
        expect(status.finishedAt).toBeGreaterThan(status.createdAt);
      });

      it('is not started twice', async () => {
        const pod = await subject.runPod('container-twice');
        const containerId = await subject.start(pod, 'exits-0');
        await subject.exited(containerId);
        await expect(call(runtime.startContainer, { containerId })).rejects.toMatchObject(REFUSED);
      });

      it('that obeys TERM ends with its own exit code within the grace period', async () => {
        const pod = await subject.runPod('stop-polite');
        const containerId = await subject.start(pod, 'polite');
        await subject.logged(pod, 'polite', 'stdout F ready');
        await subject.stop(containerId, 10);
        expect(await subject.status(containerId)).toMatchObject({ state: CONTAINER_EXITED, exitCode: 0 });
      });

      it('that ignores TERM is killed when the grace period is over', async () => {
        const containerId = await subject.start(await subject.runPod('stop-stubborn'), 'stubborn');
        const begun = performance.now();
        await subject.stop(containerId, 1);
        expect(performance.now() - begun).toBeGreaterThanOrEqual(950);
        expect(await subject.status(containerId)).toMatchObject({
          state: CONTAINER_EXITED,
          exitCode: 137,
          reason: 'Error',
        });
      });

      it('is killed at once without a grace period', async () => {
        const containerId = await subject.start(await subject.runPod('stop-at-once'), 'polite');
        await subject.stop(containerId, 0);
        expect(await subject.status(containerId)).toMatchObject({ state: CONTAINER_EXITED, exitCode: 137 });
      });

      it('may be stopped again, and stays as it was', async () => {
        const containerId = await subject.start(await subject.runPod('stop-again'), 'exits-3');
        await subject.exited(containerId);
        await subject.stop(containerId, 10);
        expect(await subject.status(containerId)).toMatchObject({ exitCode: 3 });
      });

      it('is killed if a caller gives up waiting and the next one gives no grace period', async () => {
        const containerId = await subject.start(await subject.runPod('stop-given-up'), 'stubborn');
        const impatient = call(runtime.stopContainer, { containerId, timeout: 60n }, { deadlineMs: 300 });
        await expect(impatient).rejects.toMatchObject({ code: GRPC.deadlineExceeded });
        expect(await subject.status(containerId)).toMatchObject({ state: CONTAINER_RUNNING });
        await subject.stop(containerId, 0);
        expect(await subject.status(containerId)).toMatchObject({ state: CONTAINER_EXITED });
      });

      it('is gone once removed, even if it ran, and may be removed again', async () => {
        const containerId = await subject.start(await subject.runPod('container-remove'), 'stubborn');
        await call(runtime.removeContainer, { containerId });
        expect(await subject.containerIds({ id: containerId })).toEqual([]);
        await call(runtime.removeContainer, { containerId });
      });

      it('keeps its name from others of the same attempt, and leaves the next attempt free', async () => {
        const pod = await subject.runPod('container-name');
        const containerId = await subject.create(pod, 'stubborn');
        await expect(subject.create(pod, 'stubborn')).rejects.toThrow(`is reserved for "${containerId}"`);
        await subject.create(pod, 'stubborn', 1);
        await call(runtime.removeContainer, { containerId });
        await subject.create(pod, 'stubborn');
      });

      it('is listed by id, state, sandbox and labels', async () => {
        const pod = await subject.runPod('list-containers');
        const running = await subject.start(pod, 'stubborn');
        const created = await subject.create(pod, 'exits-0');
        const podSandboxId = pod.sandboxId;
        expect(await subject.containerIds({ podSandboxId })).toEqual([running, created].sort());
        expect(await subject.containerIds({ podSandboxId, state: { state: CONTAINER_RUNNING } })).toEqual([running]);
        expect(await subject.containerIds({ podSandboxId, state: { state: CONTAINER_CREATED } })).toEqual([created]);
        const labelSelector = { 'io.kubernetes.container.name': 'stubborn' };
        expect(await subject.containerIds({ podSandboxId, labelSelector })).toEqual([running]);
        expect(await subject.containerIds({ id: created })).toEqual([created]);
        expect(await subject.containerIds({ id: UNKNOWN_ID })).toEqual([]);
        expect(await subject.containerIds({})).toEqual(expect.arrayContaining([running, created]));
        await call(runtime.removeContainer, { containerId: running });
        expect(await subject.containerIds({ podSandboxId })).toEqual([created]);
      });

      it('has its log file in the log directory of its sandbox', async () => {
        const pod = await subject.runPod('container-log');
        const containerId = await subject.start(pod, 'polite');
        expect((await subject.status(containerId)).logPath).toBe(join(pod.config.logDirectory, 'polite/0.log'));
        await subject.logged(pod, 'polite', 'stdout F ready\n');
      });
    });

    describe('a command in a container', () => {
      it('gives its exit code and output', async () => {
        const containerId = await subject.start(await subject.runPod('exec-answers'), 'stubborn');
        const answer = await call(runtime.execSync, { containerId, cmd: [...CONTRACT_EXECS.answers], timeout: 10n });
        expect({ code: answer.exitCode, output: Buffer.from(answer.stdout).toString().trim() }).toEqual({
          code: 7,
          output: 'out',
        });
      });

      it('is given up when its timeout is over', async () => {
        const containerId = await subject.start(await subject.runPod('exec-hangs'), 'stubborn');
        const hanging = call(runtime.execSync, { containerId, cmd: [...CONTRACT_EXECS.hangs], timeout: 1n });
        await expect(hanging).rejects.toMatchObject({ code: GRPC.deadlineExceeded });
      });

      it('is refused in a container that does not run', async () => {
        const containerId = await subject.start(await subject.runPod('exec-exited'), 'exits-0');
        await subject.exited(containerId);
        await expect(call(runtime.execSync, { containerId, cmd: ['true'], timeout: 1n })).rejects.toMatchObject(
          REFUSED,
        );
      });
    });

    describe('something that is not there', () => {
      const containerId = UNKNOWN_ID;
      const podSandboxId = UNKNOWN_ID;

      it('has no status, and cannot be started or run commands in', async () => {
        const missing = { code: GRPC.notFound };
        await expect(call(runtime.containerStatus, { containerId, verbose: false })).rejects.toMatchObject(missing);
        await expect(call(runtime.podSandboxStatus, { podSandboxId, verbose: false })).rejects.toMatchObject(missing);
        await expect(call(runtime.startContainer, { containerId })).rejects.toMatchObject(missing);
        await expect(call(runtime.execSync, { containerId, cmd: ['true'], timeout: 1n })).rejects.toMatchObject(
          missing,
        );
      });

      it('takes no container', async () => {
        const pod = { sandboxId: podSandboxId, config: subject.podConfig('no-sandbox') };
        await expect(subject.create(pod, 'stubborn')).rejects.toMatchObject(REFUSED);
      });

      it('counts as stopped, or is said not to be there', async () => {
        // Runtimes differ here, and kubelets take both for done.
        const either = ['done', GRPC.notFound];
        expect(either).toContain(await doneOrCode(subject.stop(containerId, 1)));
        expect(either).toContain(await doneOrCode(call(runtime.stopPodSandbox, { podSandboxId })));
      });

      it('is removed without complaint', async () => {
        expect(await doneOrCode(call(runtime.removeContainer, { containerId }))).toBe('done');
        expect(await doneOrCode(call(runtime.removePodSandbox, { podSandboxId }))).toBe('done');
      });
    });

    describe('an image', () => {
      it('that is there has an id, its name among the tags, and a size', async () => {
        const image = cri.ImageSpec.create({ image: subject.runtime.image });
        const status = await call(images.imageStatus, { image, verbose: false });
        expect(status.image?.repoTags).toContain(subject.runtime.image);
        expect(status.image?.id).toMatch(/^sha256:[0-9a-f]{64}$/);
        expect(status.image?.size).toBeGreaterThan(0n);
        const { images: listed } = await call(images.listImages, { filter: undefined });
        expect(listed.map(({ id }) => id)).toContain(status.image?.id);
      });

      it('is found by its id, too', async () => {
        const byName = await call(images.imageStatus, {
          image: cri.ImageSpec.create({ image: subject.runtime.image }),
          verbose: false,
        });
        const byId = await call(images.imageStatus, {
          image: cri.ImageSpec.create({ image: byName.image?.id ?? '' }),
          verbose: false,
        });
        expect(byId.image?.id).toBe(byName.image?.id);
      });

      it('that is not there is an answer without an image', async () => {
        const image = cri.ImageSpec.create({ image: subject.runtime.imageAbsent });
        expect((await call(images.imageStatus, { image, verbose: false })).image).toBeUndefined();
      });

      it('that is not there makes no container', async () => {
        const pod = await subject.runPod('absent-image');
        const config = cri.ContainerConfig.create({
          ...subject.containerConfig('stubborn'),
          image: { image: subject.runtime.imageAbsent },
        });
        const request = { podSandboxId: pod.sandboxId, config, sandboxConfig: pod.config };
        await expect(call(runtime.createContainer, request)).rejects.toMatchObject(REFUSED);
      });
    });
  });
}
