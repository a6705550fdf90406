import type { ContainerState, ContainerStatus } from '../../src/kube/pod.ts';

// Builders of API container statuses with the members that matter to a case.

export const statusOf = (name: string, parts: Partial<ContainerStatus> = {}): ContainerStatus => ({
  name,
  ready: false,
  restartCount: 0,
  image: 'registry.test/app:1',
  imageID: '',
  ...parts,
});

export const RUNNING: ContainerState = { running: { startedAt: '2030-01-02T03:04:05Z' } };
export const WAITING: ContainerState = { waiting: { reason: 'ContainerCreating' } };
export const ended = (exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error'): ContainerState => ({
  terminated: { exitCode, reason },
});

export const running = (name: string, parts: Partial<ContainerStatus> = {}): ContainerStatus =>
  statusOf(name, { state: RUNNING, containerID: `containerd://${name}-0`, ...parts });
export const waiting = (name: string, parts: Partial<ContainerStatus> = {}): ContainerStatus =>
  statusOf(name, { state: WAITING, ...parts });
export const terminated = (name: string, exitCode: number, parts: Partial<ContainerStatus> = {}): ContainerStatus =>
  statusOf(name, { state: ended(exitCode), containerID: `containerd://${name}-0`, ...parts });
