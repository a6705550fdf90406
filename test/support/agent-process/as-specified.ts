import { own } from '../../../src/kube/text/own.ts';
import type { PodEnd } from './chaos-pods.ts';
import { REVISION_LABEL, shapeOf, slotName } from './chaos-pods.ts';
import type { NodeUnderTest } from './node-under-test.ts';
import { isReadySandbox, isRunning, listRuntime } from './runtime-view.ts';
import { isRunningAndReady, onNode } from './observe-pods.ts';

/**
 * Returns the deviations from the manifests, in words: by the agent's own account, and by the runtime's. `wanted`:
 * revision by pod name.
 */
export async function deviations(
  { admin, runtime }: NodeUnderTest,
  wanted: ReadonlyMap<number, number>,
): Promise<readonly string[]> {
  const [pods, { sandboxes, containers }] = await Promise.all([admin.pods(), listRuntime(runtime.cri)]);
  const all: string[] = [];
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  if (pods.length !== wanted.size) all.push(`the agent has ${pods.length} pods instead of ${wanted.size}`);
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  for (const { id, labels } of [...sandboxes, ...containers]) {
    if (!uids.has(labels['io.kubernetes.pod.uid'] ?? ''))
      all.push(`${labels['io.kubernetes.pod.name']}: ${id} is left`);
  }
  for (const [slot, revision] of wanted) {
    const name = onNode(slotName(slot));
    const pod = byName.get(name);
    const says = (what: string): void => void all.push(`${name} revision ${revision}: ${what}`);
    const known = own(pod?.metadata.labels, REVISION_LABEL);
    if (pod === undefined || known !== String(revision)) {
      says(`the agent has revision ${known}`);
      continue;
    }
    const mine = ({ labels }: { readonly labels: Readonly<Record<string, string>> }): boolean =>
      labels['io.kubernetes.pod.uid'] === pod.metadata.uid;
    const ready = sandboxes.filter(isReadySandbox).filter(mine).length;
    const running = containers
      .filter(isRunning)
      .filter(mine)
      .map(({ metadata }) => metadata?.name ?? '');
    const { wishes, end } = shapeOf(slot);
    if (ready !== sandboxesAt[end]) says(`${ready} ready sandboxes`);
    const expected = end === 'running' ? (wishes.containers ?? []) : [];
    if (end !== 'looping' && running.toSorted().join() !== expected.toSorted().join()) says(`[${running.join()}] run`);
    if (!isAt[end](pod)) says(`phase ${pod.status?.phase}`);
  }
  return all;
}

const sandboxesAt: Readonly<Record<PodEnd, number>> = { running: 1, looping: 1, succeeded: 0, failed: 0 };

const isAt: Readonly<Record<PodEnd, typeof isRunningAndReady>> = {
  running: isRunningAndReady,
  looping: ({ status }) => status?.phase === 'Running',
  succeeded: ({ status }) => status?.phase === 'Succeeded',
  failed: ({ status }) => status?.phase === 'Failed',
};
