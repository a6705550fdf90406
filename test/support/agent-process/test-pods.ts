import { BUSYBOX_IMAGE } from '../containerd/test-images.ts';

/**
 * Commands of test containers, by container name: a real runtime runs the command, the embedded one gets the same
 * from `EMBEDDED_SCRIPT`.
 */
export const COMMANDS = {
  /** Runs until it is asked to stop, and then ends at once. */
  app: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 3600 & wait $!; done'],
  /** Runs until it is asked to stop, and takes a second for it. */
  slow: ['sh', '-c', 'trap "sleep 1; exit 0" TERM; while :; do sleep 3600 & wait $!; done'],
  /** Fails soon, but runs long enough for an occasional look to see it running. */
  fails: ['sh', '-c', 'sleep 0.7; echo failing; exit 3'],
  /** Takes a moment, and ends well. */
  prepares: ['sh', '-c', 'sleep 0.2'],
} as const;
export type TestContainer = keyof typeof COMMANDS;

export const EMBEDDED_SCRIPT = {
  pods: {
    '*': {
      containers: {
        app: { stop: '0@20ms' },
        slow: { stop: '0@1s' },
        fails: { run: '3@700ms' },
        prepares: { run: '0@200ms' },
        // The pod of examples/init-and-two.yaml.
        prepare: { run: '0@1s' },
      },
    },
  },
};

export interface PodRequest {
  readonly containers?: readonly TestContainer[];
  readonly initContainers?: readonly TestContainer[];
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  /** Variable of every container. Another value changes the pod's UID. */
  readonly env?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** Returns a static pod's manifest; by default with one container `app`. */
export function podManifest(name: string, wishes: PodRequest = {}) {
  const { containers = ['app'], initContainers = [], restartPolicy = 'Always', env = {}, spec = {} } = wishes;
  const container = (kind: TestContainer) => ({
    name: kind,
    image: BUSYBOX_IMAGE,
    imagePullPolicy: 'IfNotPresent',
    command: [...COMMANDS[kind]],
    ...(Object.keys(env).length > 0 && { env: Object.entries(env).map(([key, value]) => ({ name: key, value })) }),
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 5,
      restartPolicy,
      ...(initContainers.length > 0 ? { initContainers: initContainers.map(container) } : {}),
      containers: containers.map(container),
      ...spec,
    },
  };
}
