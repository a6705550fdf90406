import { describe, expect, it } from 'vitest';
import { ContainerConfig, PodSandboxConfig } from '../../src/cri/gen/api.ts';
import type { EphemeralContainer } from '../../src/kube/pod.ts';
import { containerConfig } from '../../src/pod/container-config.ts';
import type { ContainerConfigOutcome } from '../../src/pod/container-config.ts';
import { sandboxConfig } from '../../src/pod/sandbox-config.ts';
import { caseNames, goldenNode, imageRefOf, imageUserOf, podIpsOf, readCase, STATIC_NODE_NAME } from './golden-case.ts';
import type { GoldenCase } from './golden-case.ts';
import { goldenForm } from './golden-form.ts';
import type { Json } from './golden-form.ts';

/** Cases whose requests are not the recorded ones yet, with the reason. Each is asserted to fail, so that a fix shows. */
const NOT_YET: Readonly<Record<string, string>> = {};

/** Cases that end before a sandbox or container is configured: at admission, or while volumes are mounted. */
const DECIDED_ELSEWHERE = new Set<string>([]);

/** A static pod's name and UID come from its manifest; the records have placeholders for both. */
function withPlaceholders(form: Json, { pod, name }: GoldenCase): Json {
  if (!name.startsWith('static-')) return form;
  const text = JSON.stringify(form).replaceAll(pod.metadata.uid, '{{UID}}').replaceAll(STATIC_NODE_NAME, '{{NODE}}');
  return JSON.parse(text) as Json;
}

function containerOf({ pod }: GoldenCase, name: string): EphemeralContainer {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const container = [...initContainers, ...containers, ...ephemeralContainers].find((each) => each.name === name);
  if (container === undefined) throw new Error(`the pod has no container ${name}`);
  return container;
}

function configOf(golden: GoldenCase, name: string, restartCount: number): ContainerConfigOutcome {
  const container = containerOf(golden, name);
  return containerConfig({
    pod: golden.pod,
    container,
    restartCount,
    imageRef: imageRefOf(container.image ?? ''),
    imageUser: imageUserOf(container.image ?? ''),
    podIps: podIpsOf(golden.pod),
    node: goldenNode,
    sources: golden.sources,
    terminationFile: '{{RAND}}',
    runtimeHandler: golden.runtimeHandler,
    mountedVolumes: golden.imageVolumes,
  });
}

function compare(golden: GoldenCase): void {
  const { expected, pod } = golden;
  for (const { config, runtime_handler: handler = '' } of expected.runPodSandbox ?? []) {
    const { attempt = 0 } = config['metadata'] as { readonly attempt?: number };
    const made = sandboxConfig({ pod, attempt, node: goldenNode });
    if (!made.ok) throw new Error(made.message);
    expect(withPlaceholders(goldenForm(made.config), golden)).toEqual(config);
    expect(golden.runtimeHandler).toBe(handler);
  }
  for (const { config } of expected.createContainer ?? []) {
    const made = configOf(golden, config.metadata.name, config.metadata.attempt ?? 0);
    if (!made.ok) throw new Error(made.message);
    expect(withPlaceholders(goldenForm(made.config), golden)).toEqual(config);
  }
  const statuses = [...(expected.status?.containerStatuses ?? []), ...(expected.status?.initContainerStatuses ?? [])];
  for (const { name, reason, message } of statuses) {
    if (reason === 'CreateContainerConfigError') expect(configOf(golden, name, 0)).toEqual({ ok: false, reason, message });
  }
}

describe('the requests made of the runtime for a pod', () => {
  it.each(caseNames().filter((name) => !(name in NOT_YET)))('%s: equal the recorded ones', (name) => {
    compare(readCase(name));
  });

  it.each(Object.entries(NOT_YET))('%s: differ from the recorded ones (%s)', (name) => {
    expect(() => {
      compare(readCase(name));
    }).toThrow();
  });
});
