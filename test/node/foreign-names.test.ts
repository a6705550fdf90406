import { describe, expect, it } from 'vitest';
import { keyed } from '../../src/kube/text/own.ts';
import { AdmittedPods } from '../../src/node/admission/admitted-pods.ts';
import { matchesNode } from '../../src/node/admission/node-affinity.ts';
import { nodeStatusPatch } from '../../src/node/object/node-status-patch.ts';
import { COMMON_RULES, judgePod, type AdmissionFacts } from '../../src/node/admission/pod-admission.ts';
import { container, pod, type PodParts } from '../pod/pods.ts';
import { asForAnyOther, FOREIGN_NAMES } from '../support/foreign-names.ts';

const around: AdmissionFacts = {
  node: {
    name: 'n1',
    labels: { 'kubernetes.io/os': 'linux' },
    os: 'linux',
    allocatable: { cpu: '1', memory: '1Gi', pods: '10' },
    taints: [{ key: 'toString', effect: 'NoExecute' }],
    strictSupplementalGroups: true,
  },
  admitted: new AdmittedPods(),
  pressures: undefined,
  shutdown: 'none',
  rules: COMMON_RULES,
};
const judged = (parts: PodParts) =>
  judgePod(pod({ tolerations: [{ operator: 'Exists' }], ...parts }), { ...around, mayEnd: () => true });

const affinityTo = (key: string, operator: string, values: readonly string[] = []) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }],
    },
  },
});

describe.each(FOREIGN_NAMES)('a node without a label %s', (name) => {
  it.each([
    { operator: 'Exists', holds: false },
    { operator: 'DoesNotExist', holds: true },
    { operator: 'In', holds: false },
    { operator: 'NotIn', holds: true },
    { operator: 'Gt', holds: false },
    { operator: 'Lt', holds: false },
  ])('$operator: $holds', ({ operator, holds }) => {
    const spec = { containers: [], affinity: affinityTo(name, operator, ['1']) };
    expect(matchesNode(spec, { name: 'n', labels: {} })).toBe(holds);
  });

  it('matches a selector of that label only with the label', () => {
    const spec = { containers: [], nodeSelector: keyed([[name, 'x']]) };
    expect(matchesNode(spec, { name: 'n', labels: {} })).toBe(false);
    expect(matchesNode(spec, { name: 'n', labels: keyed([[name, 'x']]) })).toBe(true);
  });
});

describe.each(FOREIGN_NAMES)('%s is judged as any other name', (name) => {
  it.each<{ what: string; parts: (name: string) => PodParts }>([
    {
      what: 'as a resource',
      parts: (each) => ({ containers: [container('main', { resources: { requests: keyed([[each, '1']]) } })] }),
    },
    { what: 'as an overhead', parts: (each) => ({ overhead: keyed([[each, '1']]) }) },
    {
      what: 'as a kernel parameter',
      parts: (each) => ({ securityContext: { sysctls: [{ name: each, value: '1' }] } }),
    },
    { what: 'as an operating system', parts: (each) => ({ os: { name: each } }) },
  ])('$what', ({ parts }) => {
    const { is, as } = asForAnyOther(name, (each) => judged(parts(each)));
    expect(is).toBe(as);
  });

  it('as a resource of the node', () => {
    const { is, as } = asForAnyOther(name, (each) => {
      const [before, after] = [
        { capacity: { cpu: '1' } },
        {
          capacity: keyed([
            ['cpu', '1'],
            [each, '2'],
          ]),
        },
      ];
      return [nodeStatusPatch(before, after), nodeStatusPatch(after, before)];
    });
    expect(is).toBe(as);
  });
});

it('a toleration of one such taint does not tolerate another', () => {
  const tolerating = (key: string) => judged({ tolerations: [{ key, operator: 'Exists' }] }).type;
  expect([tolerating('toString'), tolerating('valueOf')]).toEqual(['admitted', 'rejected']);
});
