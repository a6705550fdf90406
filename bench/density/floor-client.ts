/** The floor, as a process of its own: makes the six CRI calls of each pod with no kubelet logic, and tells what they cost. */
import * as grpc from '@grpc/grpc-js';
import { defaultLaneLimits } from '../../actors/cri-gateway/state.ts';
import {
  criMethods,
  type CriMethod,
  type CriMethodName,
  type CriRequest,
  type CriResponse,
} from '../../src/cri/methods.ts';
import { CreateContainerRequest, ImageSpec, RunPodSandboxRequest } from '../../src/cri/gen/api.ts';
import { CallLane } from './call-lane.ts';
import { floorPods, type FloorPod } from './floor-requests.ts';
import { runPlace } from './node-setup.ts';

/** What this process sends to the one that started it. */
export interface FloorResult {
  readonly cpuMs: number;
  readonly wallMs: number;
}

const [folder = '', count = ''] = process.argv.slice(2);
const place = runPlace(folder);
const client = new grpc.Client(`unix://${place.runtimeSocket}`, grpc.credentials.createInsecure(), {
  'grpc.enable_retries': 0,
  'grpc-node.flow_control_window': 4 * 1024 * 1024,
});
// As many calls at once as the agent lets go.
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

const pods = floorPods(place, Number(count));
// The connection is there already when an agent's pods come.
await call('Version', { version: 'v1' });
const began = performance.now();
const before = process.cpuUsage();
await Promise.all(pods.map(runPod));
const spent = process.cpuUsage(before);
const result: FloorResult = { cpuMs: (spent.user + spent.system) / 1_000, wallMs: performance.now() - began };
client.close();
process.send?.(result, undefined, undefined, () => process.exit());
