import { describe, expect, it } from 'vitest';
import { WriteCounter } from '../../bench/density/count-writes.ts';

const asked = (method: string, path: string, userAgent = 'hivelet/1.0 (linux/x64)') => {
  const counter = new WriteCounter();
  counter.count({ method, path, isWatch: false, userAgent });
  return Object.entries(counter.counts).flatMap(([what, count]) => (count === 1 ? [what] : []));
};

describe('the writes counted by the density benchmark', () => {
  it.each([
    { method: 'PATCH', path: '/api/v1/namespaces/a/pods/events/status?fieldManager=x', kind: 'statuses' },
    { method: 'POST', path: '/api/v1/namespaces/a/events', kind: 'events' },
    { method: 'PATCH', path: '/apis/events.k8s.io/v1/namespaces/a/events/web.1', kind: 'events' },
    { method: 'DELETE', path: '/api/v1/namespaces/a/pods/web', kind: 'podDeletes' },
    { method: 'PATCH', path: '/api/v1/nodes/bench/status', kind: 'nodeWrites' },
    {
      method: 'PUT',
      path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/bench',
      kind: 'leaseWrites',
    },
    { method: 'GET', path: '/api/v1/pods?watch=true', kind: 'reads' },
    { method: 'POST', path: '/api/v1/namespaces/a/pods', kind: 'otherWrites' },
  ])('$method $path is one of the $kind', ({ method, path, kind }) => {
    expect(asked(method, path)).toEqual([kind]);
  });

  it('exclude requests of other clients than the agent', () => {
    expect(asked('PATCH', '/api/v1/nodes/bench/status', 'kubectl/v1.33')).toEqual([]);
  });
});
