import { parseScript, type Script } from '../../../src/embedded/runtime/script/script.ts';

/** The required end state of a pod once faults have ceased. */
export type Outcome =
  /** One ready sandbox, every container running once, Ready. */
  | 'running'
  | 'succeeded'
  | 'failed'
  /** One ready sandbox, phase Running or Pending: its containers start and exit. */
  | 'crash-looping'
  /** No container runs: the image is never pulled. */
  | 'waiting';

export interface PodShape {
  readonly name: string;
  readonly spec: Record<string, unknown>;
  /** The pod's script for the embedded runtime. */
  readonly script: unknown;
  /** Pull outcomes of the images that only this shape uses; `IMAGE` is the pod's own image. */
  readonly pulls?: readonly string[];
  readonly outcome: Outcome;
}

const app = { name: 'app', image: 'registry.test/app:1' };
const ownImage = { name: 'app', image: 'IMAGE' };

/** All pod shapes of the scenarios. */
export const podShapes: readonly PodShape[] = [
  { name: 'plain', spec: { containers: [app] }, script: {}, outcome: 'running' },
  {
    name: 'two',
    spec: { containers: [app, { name: 'side', image: 'registry.test/side:1' }] },
    script: {},
    outcome: 'running',
  },
  {
    name: 'host',
    spec: { hostNetwork: true, terminationGracePeriodSeconds: 5, containers: [app] },
    script: {},
    outcome: 'running',
  },
  {
    name: 'init',
    spec: {
      initContainers: [
        { name: 'one', image: 'registry.test/init:1' },
        { name: 'two', image: 'registry.test/init:1' },
      ],
      containers: [app],
    },
    script: { containers: { one: { run: '0@2s' }, two: { run: ['1@1s', '1@1s', '0@1s'] } } },
    outcome: 'running',
  },
  {
    name: 'sidecar',
    spec: {
      initContainers: [{ name: 'proxy', image: 'registry.test/proxy:1', restartPolicy: 'Always' }],
      containers: [app],
    },
    script: {},
    outcome: 'running',
  },
  {
    name: 'probed',
    spec: {
      containers: [
        {
          ...app,
          startupProbe: { exec: { command: ['up'] }, periodSeconds: 1, failureThreshold: 60 },
          livenessProbe: { exec: { command: ['live'] }, periodSeconds: 2, failureThreshold: 2 },
          readinessProbe: { exec: { command: ['ready'] }, periodSeconds: 2 },
        },
      ],
    },
    script: {
      containers: {
        app: {
          exec: {
            up: { by: 'age', ages: ['0s', '3s'], results: ['1', '0@50ms'] },
            live: { by: 'name', results: ['0', '0', '1', '1', '0'] },
            ready: ['1', '0', '1', 'err:shim is gone', '0'],
          },
        },
      },
    },
    outcome: 'running',
  },
  {
    name: 'hooked',
    spec: {
      terminationGracePeriodSeconds: 10,
      containers: [
        {
          ...app,
          lifecycle: {
            postStart: { exec: { command: ['hook-post'] } },
            preStop: { exec: { command: ['hook-pre'] } },
          },
        },
        { name: 'side', image: 'registry.test/side:1' },
      ],
    },
    script: { containers: { app: { exec: { 'hook-post': ['0@4s'], 'hook-pre': ['0@3s'] } } } },
    outcome: 'running',
  },
  {
    name: 'once',
    spec: { restartPolicy: 'Never', containers: [app] },
    script: { containers: { app: { run: '0@30s' } } },
    outcome: 'succeeded',
  },
  {
    name: 'once-bad',
    spec: { restartPolicy: 'Never', containers: [app, { name: 'other', image: 'registry.test/side:1' }] },
    script: { containers: { app: { run: '3@20s' }, other: { run: '0@40s' } } },
    outcome: 'failed',
  },
  {
    name: 'retried',
    spec: { restartPolicy: 'OnFailure', containers: [app] },
    script: { containers: { app: { run: ['1@5s', '2@5s', '0@5s'] } } },
    outcome: 'succeeded',
  },
  {
    name: 'looping',
    spec: { containers: [app] },
    script: { containers: { app: { run: '1@3s' } } },
    outcome: 'crash-looping',
  },
  {
    name: 'completing',
    spec: { containers: [app, { name: 'steady', image: 'registry.test/side:1' }] },
    script: { containers: { app: { run: '0@15s' } } },
    outcome: 'crash-looping',
  },
  {
    name: 'no-image',
    spec: { containers: [ownImage] },
    script: {},
    pulls: ['err@1s:manifest unknown'],
    outcome: 'waiting',
  },
  {
    name: 'late-image',
    spec: { containers: [ownImage] },
    script: {},
    pulls: ['err@2s:connection reset', 'err@1s:connection reset', 'ok@8s'],
    outcome: 'running',
  },
  { name: 'slow-box', spec: { containers: [app] }, script: { sandbox: 'ok@20s' }, outcome: 'running' },
  {
    name: 'bad-box',
    spec: { containers: [app] },
    script: { sandbox: ['err@1s:no address is left', 'err@100ms:no address is left', 'ok@50ms'] },
    outcome: 'running',
  },
  {
    name: 'slow-create',
    spec: { containers: [app] },
    script: { containers: { app: { create: 'ok@6s', start: 'ok@2s' } } },
    outcome: 'running',
  },
  {
    name: 'bad-create',
    spec: { containers: [app] },
    script: { containers: { app: { create: ['err@50ms:no space left on device', 'ok@20ms'] } } },
    outcome: 'running',
  },
  {
    name: 'bad-start',
    spec: { containers: [app] },
    script: { containers: { app: { start: ['err@50ms:exec format error', 'ok@20ms'] } } },
    outcome: 'running',
  },
  {
    name: 'stubborn',
    spec: { terminationGracePeriodSeconds: 20, containers: [app] },
    script: { containers: { app: { stop: 'ignore' } } },
    outcome: 'running',
  },
  {
    name: 'slow-stop',
    spec: { terminationGracePeriodSeconds: 30, containers: [app, { name: 'side', image: 'registry.test/side:1' }] },
    script: { containers: { app: { stop: '0@12s' }, side: { stop: '0@3s' } } },
    outcome: 'running',
  },
];

export const NODE_NAME = 'simulated';

export const podName = (slot: number, shape: PodShape): string => `pod-${slot}-${shape.name}`;

/** The pod's manifest. Another revision is another pod: static pods never change. */
export function manifestOf(slot: number, shape: PodShape, revision: number): string {
  const spec = JSON.stringify(shape.spec).replaceAll('IMAGE', ownImageOf(slot, shape));
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName(slot, shape), annotations: { revision: String(revision) } },
    spec: JSON.parse(spec),
  });
}

/** The runtime's script for the pod, in all its revisions. */
export function scriptOf(slot: number, shape: PodShape): Script {
  return parseScript({
    pods: { [`${podName(slot, shape)}-${NODE_NAME}`]: shape.script },
    ...(shape.pulls === undefined ? {} : { images: { [ownImageOf(slot, shape)]: shape.pulls } }),
  });
}

const ownImageOf = (slot: number, { name }: PodShape): string => `registry.test/only-for-${slot}-${name}:1`;
