/**
 * The floor, as a process of its own: makes the six CRI calls of each pod with no kubelet logic, and reports their
 * cost. With a kubeconfig it learns of the pods from a watch, and makes the agent's five writes for each, too.
 */
import * as grpc from '@grpc/grpc-js';
import { defaultLaneLimits } from '../../../actors/cri-gateway/call-schedule.ts';
import {
  criMethods,
  type CriMethod,
  type CriMethodName,
  type CriRequest,
  type CriResponse,
} from '../../../src/cri/methods.ts';
import { CreateContainerRequest, ImageSpec, RunPodSandboxRequest } from '../../../src/cri/gen/api.ts';
import { CallLane } from '../call-lane.ts';
import { FloorApi, type FloorApiPod } from './floor-api.ts';
import { floorPods, type FloorPod } from './floor-requests.ts';
import { runPlace } from '../node-setup.ts';

/** The answer of this process to its parent. */
export interface FloorResult {
  readonly cpuMs: number;
  readonly wallMs: number;
}

const [folder = '', count = '', kubeconfig] = process.argv.slice(2);
const place = runPlace(folder);
const client = new grpc.Client(`unix://${place.runtimeSocket}`, grpc.credentials.createInsecure(), {
  'grpc.enable_retries': 0,
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
});
// As many concurrent calls as the agent makes.
const lanes = { start: new CallLane(defaultLaneLimits.start), status: new CallLane(defaultLaneLimits.status) };

function call<M extends CriMethodName>(method: M, request: CriRequest<M>): Promise<CriResponse<M>> {
  // The table pairs each method with its own codecs; only the union over all methods loses sight of that.
  const codecs = criMethods[method] as unknown as CriMethod<CriRequest<M>, CriResponse<M>>;
  const lane = codecs.lane === 'start' ? lanes.start : lanes.status;
  return lane.run(
    () =>
      new Promise((resolve, reject) => {
        const encode = (message: CriRequest<M>): Buffer => Buffer.from(codecs.request.encode(message).finish());
        const decode = (bytes: Buffer): CriResponse<M> => codecs.response.decode(bytes);
        client.makeUnaryRequest(codecs.path, encode, decode, request, (error, response) => {
          if (error !== null) reject(error);
          else if (response === undefined) reject(new Error(`${method} was answered with nothing`));
          else resolve(response);
        });
      }),
  );
}

async function runPod({ sandbox, image, container }: FloorPod): Promise<void> {
  const { podSandboxId } = await call('RunPodSandbox', RunPodSandboxRequest.fromPartial({ config: sandbox }));
  await call('PodSandboxStatus', { podSandboxId, verbose: false });
  const status = await call('ImageStatus', { image: ImageSpec.fromPartial({ image }), verbose: false });
  const config = {
    ...container,
    image: ImageSpec.fromPartial({ ...container.image, image: status.image?.id ?? image }),
  };
  const create = CreateContainerRequest.fromPartial({ podSandboxId, config, sandboxConfig: sandbox });
  const { containerId } = await call('CreateContainer', create);
  await call('StartContainer', { containerId });
  await call('ContainerStatus', { containerId, verbose: false });
}

/** Six CRI calls for each pod that the API binds to the node, and the writes of their statuses. */
async function runApiPods(api: FloorApi): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const waiting = pods.values();
  let left = pods.length;
  const start = async (pod: FloorApiPod): Promise<void> => {
    const { value: calls } = waiting.next();
    if (calls === undefined) throw new Error(`more than ${count} pods have come`);
    await api.tellPulled(pod);
    await runPod(calls);
    await api.tellStarted(pod);
    left -= 1;
    if (left === 0) resolve();
  };
  const unwatch = api.watchPods((pod) => void start(pod).catch(reject), reject);
  await promise;
  unwatch();
}

async function run(): Promise<FloorResult> {
  const began = performance.now();
  const before = process.cpuUsage();
  await (api === undefined ? Promise.all(pods.map(runPod)) : runApiPods(api));
  const spent = process.cpuUsage(before);
  return { cpuMs: (spent.user + spent.system) / 1_000, wallMs: performance.now() - began };
}

const pods = floorPods(place, Number(count));
const api = kubeconfig === undefined ? undefined : await FloorApi.open(kubeconfig);
// An agent is already connected when its pods come.
await call('Version', { version: 'v1' });
process.on('message', ({ id }: { readonly id: number }) => {
  void run().then((value) => process.send?.({ id, value }));
});
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));
process.send?.('ready');
