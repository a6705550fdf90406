import { describe, expect, it } from 'vitest';
import { ContainerConfig, PodSandboxConfig } from '../../../src/cri/gen/api.ts';
import type { EphemeralContainer } from '../../../src/kube/pod.ts';
import { containerConfig } from '../../../src/pod/cri-config/container-config.ts';
import type { ContainerConfigOutcome } from '../../../src/pod/cri-config/container-config.ts';
import { sandboxConfig } from '../../../src/pod/cri-config/sandbox-config.ts';
import {
  caseNames,
  goldenHostIps,
  goldenNode,
  handlerOf,
  imageRefOf,
  imageUserOf,
  podIpsOf,
  readCase,
  STATIC_NODE_NAME,
} from './golden-case.ts';
import type { ExpectedStatus, GoldenCase } from './golden-case.ts';
import { goldenForm } from './golden-form.ts';
import type { Json } from './golden-form.ts';

/** A static pod's name and UID come from its manifest; the recordings have placeholders for both. */
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
    hostIps: goldenHostIps,
    node: goldenNode,
    sources: golden.sources,
    terminationFile: '{{RAND}}',
    handler: handlerOf(golden.runtimeHandler),
    mountedVolumes: golden.imageVolumes,
  });
}

/** Our requests and errors in place of the recorded ones. */
function made(golden: GoldenCase): unknown {
  const { expected, pod } = golden;
  return {
    sandboxes: (expected.runPodSandbox ?? []).map(({ config }) => {
      const { attempt = 0 } = config['metadata'] as { readonly attempt?: number };
      const outcome = sandboxConfig({ pod, attempt, node: goldenNode });
      return outcome.ok ? withPlaceholders(goldenForm(outcome.config), golden) : outcome;
    }),
    handlers: (expected.runPodSandbox ?? []).map(() => golden.runtimeHandler),
    containers: (expected.createContainer ?? []).map(({ config: { metadata } }) => {
      const outcome = configOf(golden, metadata.name, metadata.attempt ?? 0);
      return outcome.ok ? withPlaceholders(goldenForm(outcome.config), golden) : outcome;
    }),
    refusals: refusals(golden).map(({ name }) => configOf(golden, name, 0)),
  };
}

function recorded(golden: GoldenCase): unknown {
  const { runPodSandbox = [], createContainer = [] } = golden.expected;
  return {
    sandboxes: runPodSandbox.map(({ config }) => config),
    handlers: runPodSandbox.map(({ runtime_handler: handler = '' }) => handler),
    containers: createContainer.map(({ config }) => config),
    refusals: refusals(golden).map(({ reason, message }) => ({ ok: false, reason, message })),
  };
}

function refusals({ expected }: GoldenCase): readonly ExpectedStatus[] {
  const statuses = [...(expected.status?.initContainerStatuses ?? []), ...(expected.status?.containerStatuses ?? [])];
  return statuses.filter(({ reason }) => reason === 'CreateContainerConfigError');
}

/** The cases without any request. */
const NO_REQUESTS = [
  // No name or log directory can be made for the sandbox.
  'hostname-fqdn-too-long',
  'name-too-long',
  // Rejected at admission.
  'os-windows',
  'res-hugepages-none',
  'res-out-of-memory',
  'sec-apparmor-runtime',
  // Refused as a manifest.
  'static-refers-secret',
  'sysctls-unsafe',
  // A volume cannot be mounted.
  'vol-configmap-missing',
  'vol-hostpath-socket-missing',
  'vol-token-no-account',
];

const hasNoRequests = ({ expected }: GoldenCase): boolean =>
  (expected.runPodSandbox ?? []).length === 0 && (expected.createContainer ?? []).length === 0;

describe('the CRI requests for a pod', () => {
  it.each(caseNames().filter((name) => !NO_REQUESTS.includes(name)))('%s: equal the recorded ones', (name) => {
    const golden = readCase(name);
    expect(made(golden)).toEqual(recorded(golden));
  });
  it.each([
    {
      name: 'hostname-fqdn-too-long',
      message: /^failed to construct FQDN from pod hostname and cluster domain, FQDN .* is too long \(64 .*, 94 .*\)$/,
    },
    { name: 'name-too-long', message: /^mkdir \/var\/log\/pods\/golden_n0123.*: file name too long$/ },
  ])('$name: no request is made, and an event has the reason', ({ name, message }) => {
    const golden = readCase(name);
    // A real UID is longer than its placeholder.
    const pod = { ...golden.pod, metadata: { ...golden.pod.metadata, uid: '11111111-2222-3333-4444-555555555555' } };
    const outcome = sandboxConfig({ pod, attempt: 0, node: goldenNode });
    expect(outcome).toMatchObject({ ok: false, reason: 'CreatePodSandboxError' });
    const text = outcome.ok ? '' : outcome.message.replace(pod.metadata.uid, '{{UID}}');
    expect(text).toMatch(message);
    expect(golden.expected.events?.map((event) => event.message)).toContain(`Failed to create pod sandbox: ${text}`);
  });

  it('warn of omitted name servers', () => {
    const golden = readCase('dns-limits');
    const outcome = sandboxConfig({ pod: golden.pod, attempt: 0, node: goldenNode });
    const [warning] = outcome.ok ? outcome.warnings : [];
    expect(golden.expected.events).toContainEqual(expect.objectContaining(warning));
  });

  it('are complete messages: encoding and decoding gives them back', () => {
    for (const name of ['res-guaranteed', 'sec-pod-ids', 'vol-image']) {
      const golden = readCase(name);
      const sandbox = sandboxConfig({ pod: golden.pod, attempt: 1, node: goldenNode });
      const container = configOf(golden, golden.pod.spec.containers[0]?.name ?? '', 2);
      if (!sandbox.ok || !container.ok) throw new Error('not configured');
      expect(PodSandboxConfig.decode(PodSandboxConfig.encode(sandbox.config).finish())).toEqual(sandbox.config);
      expect(ContainerConfig.decode(ContainerConfig.encode(container.config).finish())).toEqual(container.config);
    }
  });

  it('are missing only where an earlier rule decides', () => {
    const cases = caseNames().map(readCase).filter(hasNoRequests);
    expect(cases.map(({ name }) => name)).toEqual(NO_REQUESTS);
  });
});
