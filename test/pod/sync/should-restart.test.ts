import { describe, expect, it } from 'vitest';

import type { ContainerRestartRule, RestartPolicy } from '../../../src/kube/pod.ts';
import { isRestartedAfter, shouldContainerBeRestarted } from '../../../src/pod/sync/should-restart.ts';
import { container, exited, pod, record, runtime } from '../pods.ts';

const on = (action: ContainerRestartRule['action'], operator: 'In' | 'NotIn', ...values: number[]) => ({
  action,
  exitCodes: { operator, values },
});

describe('a container that is not running', () => {
  it.each([
    { rule: 'is started when it was never created', containers: [], expected: true },
    { rule: 'is not started while it runs', containers: [record('main')], expected: false },
    { rule: 'is started when it was only created', containers: [record('main', 'created')], expected: true },
    { rule: 'is started when its state is unknown', containers: [record('main', 'unknown')], expected: true },
    { rule: 'is started when it exited', containers: [exited('main', 0)], expected: true },
    {
      rule: 'is judged by its newest record',
      containers: [exited('main', 1), record('main', 'running', { attempt: 1 })],
      expected: false,
    },
  ])('$rule', ({ containers, expected }) => {
    const given = pod();
    expect(shouldContainerBeRestarted(given, container('main'), runtime({ containers }))).toBe(expected);
  });

  it('is not started once its pod is deleted', () => {
    const given = pod({ metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } });
    expect(shouldContainerBeRestarted(given, container('main'), runtime())).toBe(false);
  });
});

describe('an exit code', () => {
  it.each<{
    own?: RestartPolicy;
    podPolicy: RestartPolicy;
    code: number;
    rules?: ContainerRestartRule[];
    again: boolean;
  }>([
    { podPolicy: 'Always', code: 0, again: true },
    { podPolicy: 'OnFailure', code: 0, again: false },
    { podPolicy: 'OnFailure', code: 3, again: true },
    { podPolicy: 'Never', code: 3, again: false },
    { own: 'Never', podPolicy: 'Always', code: 3, again: false },
    { own: 'OnFailure', podPolicy: 'Never', code: 3, again: true },
    { own: 'Always', podPolicy: 'Never', code: 0, again: true },
    { own: 'Never', podPolicy: 'Never', code: 42, rules: [on('Restart', 'In', 42)], again: true },
    { own: 'Never', podPolicy: 'Never', code: 41, rules: [on('Restart', 'In', 42)], again: false },
    { own: 'Never', podPolicy: 'Never', code: 41, rules: [on('Restart', 'NotIn', 42)], again: true },
    { own: 'Never', podPolicy: 'Never', code: 9, rules: [on('RestartAllContainers', 'In', 9)], again: true },
    // Rules belong to the container's own policy.
    { podPolicy: 'Never', code: 42, rules: [on('Restart', 'In', 42)], again: false },
  ])('$code under $own/$podPolicy with $rules: again = $again', ({ own, podPolicy, code, rules, again }) => {
    const spec = pod({ restartPolicy: podPolicy }).spec;
    const given = container('main', {
      ...(own && { restartPolicy: own }),
      ...(rules && { restartPolicyRules: rules }),
    });
    expect(isRestartedAfter(spec, given, code)).toBe(again);
  });
});
