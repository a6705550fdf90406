import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client, type ClientReadableStream, credentials } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  ImageSpec,
  PullImageRequest,
  ImageServiceService as images,
  RuntimeServiceService as runtime,
} from '../../../../src/cri/gen/api.ts';
import {
  type EmbeddedRuntime,
  type EmbeddedRuntimeOptions,
  serveEmbeddedRuntime,
} from '../../../../src/embedded/runtime/serve/serve.ts';
import { connectCri, type CriConnection } from '../../../support/containerd/cri-connection.ts';
import { containerRequest, podConfig } from '../simulate.ts';

const GRPC = { unknown: 2, deadlineExceeded: 4, unimplemented: 12 };

let dir: string;
const ends: (() => unknown)[] = [];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'embedded-runtime-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await rm(dir, { recursive: true });
});

async function serve(
  options: Partial<EmbeddedRuntimeOptions> = {},
): Promise<{ readonly served: EmbeddedRuntime; readonly cri: CriConnection }> {
  const served = await serveEmbeddedRuntime({ socketPath: join(dir, 'cri.sock'), ...options });
  ends.push(() => served.close());
  const cri = connectCri(served.socketPath);
  ends.push(() => cri.close());
  return { served, cri };
}

const runPod = async (cri: CriConnection, name: string): Promise<string> =>
  (await cri.call(runtime.runPodSandbox, { config: podConfig(name), runtimeHandler: '' })).podSandboxId;

async function startContainer(cri: CriConnection, podSandboxId: string): Promise<string> {
  const { containerId } = await cri.call(runtime.createContainer, containerRequest(podSandboxId, 'main'));
  await cri.call(runtime.startContainer, { containerId });
  return containerId;
}

function listen(socketPath: string): ClientReadableStream<ContainerEventResponse> {
  const client = new Client(`unix:${socketPath}`, credentials.createInsecure());
  ends.push(() => client.close());
  const { path, requestSerialize, responseDeserialize } = runtime.getContainerEvents;
  return client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {});
}

async function control(path: string, ...commands: unknown[]): Promise<unknown[]> {
  const socket = createConnection(path);
  const answers: unknown[] = [];
  const lines = createInterface({ input: socket });
  for (const command of commands) {
    socket.write(`${typeof command === 'string' ? command : JSON.stringify(command)}\n`);
    answers.push(JSON.parse(((await once(lines, 'line')) as [string])[0]));
  }
  socket.destroy();
  return answers;
}

describe('the served runtime', () => {
  it('lists a thousand containers from cached bytes exactly as from messages', async () => {
    const { served, cri } = await serve({
      latencies: { sandboxMs: 0, createMs: 0, startMs: 0 },
      script: { logs: 'off' },
    });
    const pods = await Promise.all(
      Array.from({ length: 1000 }, (_, n) =>
        served.core.runPodSandbox({ config: podConfig(`pod-${n}`), runtimeHandler: '' }),
      ),
    );
    for (const { podSandboxId } of pods) await served.core.createContainer(containerRequest(podSandboxId, 'main'));
    const { containers } = await cri.call(runtime.listContainers, { filter: undefined });
    expect(containers).toEqual(served.core.listContainers({ filter: undefined }).containers);
    const { items } = await cri.call(runtime.listPodSandbox, { filter: undefined });
    expect(items).toEqual(served.core.listPodSandbox({ filter: undefined }).items);
    expect(items).toHaveLength(1000);
  });

  it('fails a call with the code and message of the script', async () => {
    const { cri } = await serve({
      script: { pods: { web: { sandbox: ['err:cni not ready', { do: 'err:no', code: 4 }] } } },
    });
    await expect(runPod(cri, 'web')).rejects.toMatchObject({ code: GRPC.unknown, details: 'cni not ready' });
    await expect(runPod(cri, 'web')).rejects.toMatchObject({ code: GRPC.deadlineExceeded, details: 'no' });
  });

  it('answers Unimplemented for calls that it cannot simulate', async () => {
    const { cri } = await serve();
    const checkpoint = { containerId: 'x', location: '/nowhere', timeout: 0n };
    await expect(cri.call(runtime.checkpointContainer, checkpoint)).rejects.toMatchObject({ code: GRPC.unimplemented });
  });

  it('ends a pull when its caller goes away', async () => {
    const { cri } = await serve({ script: { images: { 'slow:1': ['ok@60s', 'ok'] } } });
    const image = ImageSpec.create({ image: 'slow:1' });
    const request = PullImageRequest.create({ image });
    await expect(cri.call(images.pullImage, request, { deadlineMs: 100 })).rejects.toMatchObject({
      code: GRPC.deadlineExceeded,
    });
    await cri.call(images.pullImage, request);
    expect((await cri.call(images.imageStatus, { image, verbose: false })).image).toBeDefined();
  });

  it('streams events to its listeners', async () => {
    const { served, cri } = await serve();
    const stream = listen(served.socketPath);
    await once(stream, 'metadata');
    const containerId = await runPod(cri, 'web');
    const [event] = (await once(stream, 'data')) as [ContainerEventResponse];
    expect(event).toMatchObject({ containerId, containerEventType: ContainerEventType.CONTAINER_CREATED_EVENT });
    stream.on('error', () => {});
    stream.cancel();
  });

  it('has no event stream when events are off', async () => {
    const { served } = await serve({ events: 'off' });
    const [error] = (await once(listen(served.socketPath), 'error')) as [unknown];
    expect(error).toMatchObject({ code: GRPC.unimplemented });
  });

  it('runs commands from its control socket, and answers failures with their reason', async () => {
    const { served, cri } = await serve();
    const containerId = await startContainer(cri, await runPod(cri, 'web'));
    const answers = await control(
      served.controlPath,
      { op: 'script', script: { pods: { bad: { sandbox: 'err:as told' } } } },
      { op: 'exit', pod: 'web', container: 'main', code: 3 },
      { op: 'vanish', pod: 'web', container: 'main' },
      { op: 'sandbox-die', pod: 'web' },
      { op: 'sandbox-vanish', pod: 'web' },
      { op: 'exit', pod: 'web', container: 'main', code: 256 },
      { op: 'dance' },
      'no json',
    );
    const ok = { ok: true };
    const refused = (why: string): unknown => ({ ok: false, error: expect.stringContaining(why) as string });
    expect(answers).toEqual([
      ok,
      ok,
      refused('running container "web/main": not found'),
      ok,
      ok,
      refused('"code" must be an exit code'),
      refused('unknown op "dance"'),
      refused('JSON'),
    ]);
    await expect(runPod(cri, 'bad')).rejects.toMatchObject({ details: 'as told' });
    await expect(cri.call(runtime.containerStatus, { containerId, verbose: false })).rejects.toThrow(containerId);
  });

  it('replaces the socket of a dead runtime, never the socket of a running one or a file', async () => {
    const { served } = await serve();
    await expect(serveEmbeddedRuntime({ socketPath: served.socketPath })).rejects.toThrow('another process listens on');
    const file = join(dir, 'precious');
    await writeFile(file, 'content');
    await expect(serveEmbeddedRuntime({ socketPath: file })).rejects.toThrow('is not a socket');
  });

  it('rejects an invalid script', async () => {
    await expect(serve({ script: { pods: [] } })).rejects.toThrow('script.pods: [] is not an object');
  });
});

describe('the runtime’s own process', () => {
  it('reports when it listens, follows a script file, and removes its socket on SIGTERM', async () => {
    const socketPath = join(dir, 'cri.sock');
    const script = join(dir, 'script.yaml');
    await writeFile(script, 'pods:\n  web:\n    containers:\n      main:\n        start: "err:from the file"\n');
    const main = join(import.meta.dirname, '../../../../src/embedded/runtime/serve/main.ts');
    const child = spawn(process.execPath, [main, '--socket', socketPath, '--script', script, '--seed', '7'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    ends.push(() => child.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    expect(line).toBe(`embedded runtime listening on unix://${socketPath}`);
    const cri = connectCri(socketPath);
    ends.push(() => cri.close());
    const starting = startContainer(cri, await runPod(cri, 'web'));
    await expect(starting).rejects.toMatchObject({ details: 'from the file' });
    const { containers } = await cri.call(runtime.listContainers, { filter: undefined });
    expect(containers).toMatchObject([{ state: ContainerState.CONTAINER_EXITED }]);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    expect({ code, left: [socketPath, `${socketPath}.control`].filter(existsSync) }).toEqual({ code: 0, left: [] });
  });

  it('does not start with an unreadable script, and prints the reason', async () => {
    const script = join(dir, 'script.yaml');
    await writeFile(script, '? '.repeat(600));
    const main = join(import.meta.dirname, '../../../../src/embedded/runtime/serve/main.ts');
    const child = spawn(process.execPath, [main, '--socket', join(dir, 'cri.sock'), '--script', script], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    ends.push(() => child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const [line] = (await once(createInterface({ input: child.stderr }), 'line')) as [string];
    expect(line).toMatch(`the script ${script} cannot be read: holds more than 100000 lines and commas, or is nested`);
    expect(await exited).toEqual([1, null]);
  });
});
