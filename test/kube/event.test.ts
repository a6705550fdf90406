import { describe, expect, it } from 'vitest';
import { nodeEventObject, podEventObject, recordedPodEventObject } from '../../src/kube/event.ts';
import { pod } from '../pod/pods.ts';

describe('the object of an event', () => {
  const shop = pod({
    initContainers: [{ name: 'setup', image: 'a' }],
    ephemeralContainers: [{ name: 'look', image: 'a' }],
  });

  it.each([
    { about: 'the pod as a whole', container: undefined, path: undefined },
    { about: 'a container', container: 'main', path: 'spec.containers{main}' },
    { about: 'an init container', container: 'setup', path: 'spec.initContainers{setup}' },
    { about: 'an ephemeral container', container: 'look', path: 'spec.ephemeralContainers{look}' },
    { about: 'the pod, where its spec does not have the container', container: 'nobody', path: undefined },
  ])('is $about', ({ container, path }) => {
    const object = podEventObject(shop, container);
    expect(object).toMatchObject({ kind: 'Pod', namespace: 'shop', name: 'web', uid: 'uid-1' });
    expect(object.fieldPath).toBe(path);
  });

  it('is a pod known only from the runtime', () => {
    const recorded = recordedPodEventObject({ namespace: 'shop', name: 'web', uid: 'uid-1' }, 'main');
    expect(recorded).toEqual(podEventObject(shop, 'main'));
  });

  it('is the node, by its name', () => {
    expect(nodeEventObject('n1')).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'n1' });
  });
});
