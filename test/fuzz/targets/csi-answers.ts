import * as fc from 'fast-check';
import { CsiManager } from '../../../actors/csi-manager/actor.ts';
import { KeyedWork } from '../../../actors/csi-manager/keyed-work.ts';
import type { CsiManagerProtocol } from '../../../actors/csi-manager/protocol.ts';
import { storageObjects, type StorageObjects } from '../../../actors/csi-manager/storage-objects.ts';
import { actorKind } from '../../../src/actor/actor.ts';
import { apiClient } from '../../../src/api/api-client.ts';
import { apiResourceOf } from '../../../src/api/api-path.ts';
import type { CsiConnections, CsiNode, CsiOutcome } from '../../../src/csi/csi-client.ts';
import type { NodeCapability } from '../../../src/csi/csi-volume.ts';
import type { NodeGetInfoResponse, NodeGetVolumeStatsResponse } from '../../../src/csi/gen/csi.ts';
import type { PluginInfo } from '../../../src/csi/gen/registration.ts';
import { own } from '../../../src/kube/text/own.ts';
import { changeMessage, fieldChange, type FieldChange } from '../changed-message.ts';
import { hostileText, hostileValue } from '../hostile-values.ts';
import { applyMutations, mutationsOf, type Mutated } from '../mutation.ts';
import { type FuzzedNode, NODE, ROOT_DIR } from '../node/fuzzed-node.ts';
import { GuardedCsiFiles } from '../node/guarded-files.ts';
import { nodeBench } from '../node/node-bench.ts';
import { HANDLER_MS } from '../oracle.ts';
import { textOf, valueOf, type Recipe } from '../recipe.ts';
import type { Bench, Target } from '../target.ts';

interface CsiCase {
  readonly plugin: readonly FieldChange[];
  readonly info: readonly FieldChange[];
  readonly stats: readonly FieldChange[];
  readonly capabilities: readonly string[];
  /** The driver's error; null: the driver succeeds. */
  readonly refusal: { readonly code: number; readonly message: Recipe } | null;
  /** The claim, the volume and the driver's object in the API. */
  readonly objects: Mutated | null;
  readonly driver: Recipe;
}

const DRIVER = 'disks.example';
const PODS_PATH = '/api/v1/namespaces/hostile/pods';
const capabilities = [
  'STAGE_UNSTAGE_VOLUME',
  'GET_VOLUME_STATS',
  'EXPAND_VOLUME',
  'VOLUME_CONDITION',
  'UNKNOWN',
  'constructor',
];

const bases: Readonly<Record<string, Recipe>> = {
  bound: {
    claim: {
      metadata: { name: 'data', namespace: 'hostile', uid: 'data' },
      spec: { volumeName: 'data', volumeMode: 'Filesystem', accessModes: ['ReadWriteOnce'] },
      status: { phase: 'Bound', capacity: { storage: '1Gi' } },
    },
    volume: {
      metadata: { name: 'data' },
      spec: {
        claimRef: { uid: 'data', name: 'data', namespace: 'hostile' },
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        mountOptions: ['noatime'],
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } },
        csi: {
          driver: DRIVER,
          volumeHandle: 'data',
          fsType: 'ext4',
          readOnly: false,
          volumeAttributes: { a: 'b' },
          nodeStageSecretRef: { name: 's', namespace: 'hostile' },
        },
      },
    },
  },
};

const changes = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.array(fieldChange, { minLength: 1, maxLength: 3 }) },
);
const refusal = fc.record({ code: fc.integer({ min: -1, max: 20 }), message: hostileText });

export const csiAnswers: Target<CsiCase> = {
  name: 'csi-answers',
  allowedMs: HANDLER_MS,
  cases: fc.record({
    plugin: changes,
    info: changes,
    stats: changes,
    capabilities: fc.subarray(capabilities),
    // oxlint-disable-next-line unicorn/no-null -- a case is JSON
    refusal: fc.option(refusal, { freq: 2, nil: null }),
    // oxlint-disable-next-line unicorn/no-null -- a case is JSON
    objects: fc.option(mutationsOf(bases), { freq: 2, nil: null }),
    driver: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Recipe>({ attachRequired: false }) },
      {
        weight: 1,
        arbitrary: fc.dictionary(fc.constantFrom('attachRequired', 'podInfoOnMount', 'tokenRequests'), hostileValue),
      },
    ),
  }),
  open,
};

/** A driver that succeeds. */
const honest: CsiCase = {
  plugin: [],
  info: [],
  stats: [],
  capabilities: ['STAGE_UNSTAGE_VOLUME'],
  refusal: null,
  objects: null,
  driver: { attachRequired: false },
};

function open(): Promise<Bench<CsiCase>> {
  /** The driver behind the socket now, and how often it has changed. */
  const world = { now: honest, plugins: 0, asked: new Set<string>() };
  return nodeBench(
    async (node: FuzzedNode, given) => {
      world.now = given;
      world.asked.clear();
      world.plugins++;
      await node.pass(2_000);
      await node.create(PODS_PATH, podObject);
      await node.pass(3_000);
      // Shows the progress of the volume, which the pod's status does not show.
      const outcome = `${[...world.asked].join(' ')} ${node.isReady('hostile') ? 'Ready' : ''}`;
      world.now = honest;
      world.plugins++;
      await node.ask({ verb: 'delete', path: `${PODS_PATH}/hostile`, body: {}, priority: 'object' });
      await node.comeToRest(400_000);
      return outcome;
    },
    {
      kinds: (usual, node) => ({
        ...usual,
        'csi-manager': actorKind<CsiManagerProtocol>({
          mailbox: { capacity: 1_000 },
          make: (context) =>
            new CsiManager(context, {
              place: {
                rootDir: ROOT_DIR,
                nodeName: NODE,
                files: new GuardedCsiFiles((path) => node.wroteOutside(path)),
              },
              connections: () => Promise.resolve(connectionsTo(world)),
              objects: objectsOf(world),
              token: async (_, { audience }) => ({
                ok: true,
                value: { token: `for ${audience}`, expiresAt: 86_400_000 },
              }),
              sockets: () => Promise.resolve(new Map([['/plugins/disks.sock', String(world.plugins)]])),
              work: new KeyedWork(),
              inCluster: true,
            }),
        }),
      }),
    },
  );
}

interface World {
  readonly now: CsiCase;
  /** Calls of the driver and resources of the API since the case began. */
  readonly asked: Set<string>;
}

function connectionsTo(world: World): CsiConnections {
  const changed = <T>(message: T, pick: (given: CsiCase) => readonly FieldChange[]): Promise<CsiOutcome<T>> => {
    changeMessage(message, pick(world.now));
    return Promise.resolve({ ok: true, value: message });
  };
  const done = (call: string) => (): Promise<CsiOutcome<unknown>> => {
    world.asked.add(call);
    const { refusal: why } = world.now;
    return Promise.resolve(
      why === null ? { ok: true, value: {} } : { ok: false, code: why.code, message: textOf(why.message) },
    );
  };
  const node: CsiNode = {
    info: () =>
      changed<NodeGetInfoResponse>(
        { nodeId: 'node-7', maxVolumesPerNode: 5n, accessibleTopology: { segments: { 'example/zone': 'a' } } },
        ({ info }) => info,
      ),
    capabilities: () =>
      // Enum numbers of later versions arrive as an unknown name.
      Promise.resolve({ ok: true, value: new Set(world.now.capabilities as readonly NodeCapability[]) }),
    stage: done('stage'),
    unstage: done('unstage'),
    publish: done('publish'),
    unpublish: done('unpublish'),
    expand: done('expand'),
    stats: () =>
      changed<NodeGetVolumeStatsResponse>(
        {
          usage: [{ available: 1n, total: 2n, used: 1n, unit: 1 }],
          volumeCondition: { abnormal: false, message: '' },
        },
        ({ stats }) => stats,
      ),
    close() {},
  };
  return {
    node: () => node,
    plugin: () => ({
      info: () =>
        changed<PluginInfo>(
          { type: 'CSIPlugin', name: DRIVER, endpoint: '/plugins/disks.sock', supportedVersions: ['1.0.0'] },
          ({ plugin }) => plugin,
        ),
      notify: done('notify'),
      close() {},
    }),
  };
}

/** Decodes an API server's answer as the agent does. */
function objectsOf(world: World): StorageObjects {
  const written = (): { readonly claim?: unknown; readonly volume?: unknown } => {
    const { objects } = world.now;
    const value = objects === null ? valueOf(bases['bound'] ?? null) : valueOf(applyMutations(bases, objects));
    return typeof value === 'object' && value !== null ? value : {};
  };
  const answers: Readonly<Record<string, () => unknown>> = {
    persistentvolumeclaims: () => written().claim,
    persistentvolumes: () => written().volume,
    csidrivers: () => ({ metadata: { name: DRIVER }, spec: valueOf(world.now.driver) }),
    secrets: () => ({ metadata: { name: 's', namespace: 'hostile' }, data: { a: 'Yg==' } }),
    nodes: () => ({ metadata: { name: NODE, uid: NODE, labels: { a: 'b' } } }),
    csinodes: () => ({ metadata: { name: NODE }, spec: { drivers: [] } }),
  };
  const client = apiClient(async ({ path }) => {
    const resource = apiResourceOf(path);
    world.asked.add(resource);
    return { ok: true, value: own(answers, resource)?.() ?? {} };
  });
  return storageObjects(client, NODE);
}

const podObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'hostile', namespace: 'hostile' },
  spec: {
    nodeName: NODE,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    containers: [
      { name: 'main', image: 'registry.example/web:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    ],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
};
