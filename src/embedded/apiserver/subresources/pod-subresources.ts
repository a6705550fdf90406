import { isDeepStrictEqual } from 'node:util';
import { defaultContainer } from '../../../kube/manifest/default-container.ts';
import { own } from '../../../kube/text/own.ts';
import type { Container, EphemeralContainer, Pod, PodCondition, PodSpec } from '../../../kube/pod.ts';
import { podTotal } from '../../../kube/pod-resources.ts';
import { quantityNano } from '../../../kube/quantity.ts';
import { apiTime } from '../../../pod/values/api-time.ts';
import { qosClass } from '../../../pod/values/qos.ts';
import type { ApiKind, KindContext } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { membersOf, textOf } from '../store/api-object.ts';
import type { CoreAnswer, CoreCall, CoreOperations } from '../store/core-contract.ts';
import { forbiddenField, invalidValue } from '../store/field-causes.ts';
import { asObject, asPod, podKind } from '../kinds/pod-kind.ts';
import { patchedObject, patchTypes } from '../patch/patch-object.ts';
import { conflict, forbidden, methodNotAllowed, unreasoned, unsupportedMediaType } from '../store/refusal.ts';
import { deleteOptions } from '../store/write-options.ts';

const success: CoreAnswer = {
  type: 'object',
  code: 201,
  warnings: [],
  object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
};

/** `POST pods/<name>/binding`: gives the pod its node, once and for all. */
export function bindPod(core: CoreOperations, call: CoreCall): CoreAnswer {
  const { request, path, context } = call;
  if (request.method !== 'POST') throw methodNotAllowed();
  const metadata = membersOf(request.body, 'metadata');
  const name = path.name ?? textOf(metadata['name']);
  const target = membersOf(request.body, 'target');
  if (typeof target['name'] !== 'string' || target['name'] === '') throw unreasoned('target.name: Required value');
  assignPod(core, context, { namespace: path.namespace ?? '', name, nodeName: target['name'] });
  return success;
}

export interface Assignment {
  readonly namespace: string;
  readonly name: string;
  readonly nodeName: string;
}

export function assignPod(core: CoreOperations, context: KindContext, { namespace, name, nodeName }: Assignment): void {
  const subject = { group: '', resource: 'pods/binding', name };
  const old = core.stored(podKind, namespace, name);
  const pod = asPod(old);
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(subject, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  if (pod.spec.nodeName) {
    throw conflict(subject, `pod ${name} is already assigned to node ${JSON.stringify(pod.spec.nodeName)}`);
  }
  const scheduled: PodCondition = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: apiTime(context.clock.now()),
  };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled');
  // A binding does not change the desired state: the generation stays (KEP-5067).
  core.store.put(
    podKind.storedAs,
    asObject({
      ...pod,
      spec: { ...pod.spec, nodeName },
      status: { ...pod.status, conditions: [...others, scheduled] },
    }),
  );
}

/** `POST pods/<name>/eviction`: a deletion. Disruption budgets are stored and not kept. */
export function evictPod(core: CoreOperations, call: CoreCall): CoreAnswer {
  const { request, path, context } = call;
  if (request.method !== 'POST') throw methodNotAllowed();
  const options = deleteOptions(membersOf(request.body, 'deleteOptions'), path.query);
  core.writer.delete({ kind: podKind, namespace: path.namespace, name: path.name ?? '' }, options, context);
  return success;
}

/** An update through a subresource: reads, replaces or patches the pod, with rules of its own. */
function updateThrough(
  core: CoreOperations,
  call: CoreCall,
  how: { readonly take: (given: Pod, old: Pod) => Pod; readonly rules: Pick<ApiKind['rules'], 'validateUpdate'> },
): CoreAnswer {
  const { request, path, context } = call;
  const { namespace, name = '' } = path;
  const { method } = request;
  if (method === 'GET') return core.answer(podKind, core.stored(podKind, namespace, name), call);
  if (method !== 'PUT' && method !== 'PATCH') throw methodNotAllowed();
  const options = core.writeOptions(call);
  const given = (old: ApiObject): ApiObject => {
    if (method === 'PUT') return core.decode(podKind, call, options);
    const type = own(patchTypes, request.contentType?.split(';')[0]?.trim() ?? '');
    if (type === undefined || type === 'apply') {
      throw unsupportedMediaType(`a patch of pods/${path.subresource} must be a json, merge or strategic merge patch`);
    }
    return patchedObject(podKind, old, { type, body: request.body, options });
  };
  const change = (old: ApiObject): ApiObject => asObject(how.take(asPod(given(old)), asPod(old)));
  const { rules } = how;
  return core.answer(
    podKind,
    core.update({ kind: podKind, namespace, name, part: 'object', options, change, rules }, context),
    call,
  );
}

/** `pods/<name>/ephemeralcontainers`: containers can be added, and nothing else (KEP-277). */
export function setEphemeralContainers(core: CoreOperations, call: CoreCall): CoreAnswer {
  return updateThrough(core, call, {
    take: (given, old) => ({
      ...old,
      metadata: { ...old.metadata, ...precondition(given) },
      spec: {
        ...old.spec,
        ...(given.spec.ephemeralContainers && {
          ephemeralContainers: given.spec.ephemeralContainers.map(
            // Defaults change no member that only an ephemeral container has.
            (each) => defaultContainer(each) as EphemeralContainer,
          ),
        }),
      },
    }),
    rules: {
      validateUpdate: (object, old) => {
        const now = asPod(object).spec.ephemeralContainers ?? [];
        const then = asPod(old).spec.ephemeralContainers ?? [];
        return then
          .filter(({ name }) => !now.some((each) => each.name === name))
          .map(({ name }) =>
            forbiddenField(
              'spec.ephemeralContainers',
              `existing ephemeral containers ${JSON.stringify(name)} may not be removed`,
            ),
          )
          .concat(
            then
              .filter((each) => {
                const same = now.find(({ name }) => name === each.name);
                return same !== undefined && !isDeepStrictEqual(same, each);
              })
              .map(({ name }) =>
                forbiddenField(
                  'spec.ephemeralContainers',
                  `existing ephemeral containers ${JSON.stringify(name)} may not be changed`,
                ),
              ),
          );
      },
    },
  });
}

/** `pods/<name>/resize`: CPU and memory of the containers, within the pod's class (KEP-1287). */
export function resizePod(core: CoreOperations, call: CoreCall): CoreAnswer {
  return updateThrough(core, call, {
    take: (given, old) => ({
      ...old,
      metadata: { ...old.metadata, ...precondition(given) },
      spec: {
        ...old.spec,
        containers: resized(old.spec.containers, given.spec.containers),
        ...(old.spec.initContainers && {
          initContainers: resized(old.spec.initContainers, given.spec.initContainers ?? []),
        }),
        ...(given.spec.resources && { resources: given.spec.resources }),
      },
    }),
    rules: {
      validateUpdate: (object, old) => {
        const now = qosClass(asPod(object));
        refuseOutsized(core, asPod(object));
        if (now !== qosClass(asPod(old)))
          return [invalidValue('spec', now, 'Pod QOS Class may not change as a result of resizing')];
        return resizable(asPod(object).spec, asPod(old).spec);
      },
    },
  });
}

/** Refuses a resize to more than the node has. The node never receives it. */
function refuseOutsized(core: CoreOperations, { metadata, spec }: Pod): void {
  const node = core.store.collection('nodes').get(spec.nodeName ?? '');
  const allocatable = membersOf(membersOf(node, 'status'), 'allocatable');
  const wanted = podTotal(spec, 'requests');
  for (const resource of ['cpu', 'memory'] as const) {
    const has = allocatable[resource];
    if (typeof has !== 'string' && typeof has !== 'number') continue;
    if ((wanted.get(resource) ?? 0n) <= quantityNano(has)) continue;
    const subject = { group: '', resource: 'pods', name: metadata.name };
    throw forbidden(subject, `node ${spec.nodeName} has no more than ${has} of ${resource} for pods`);
  }
}

const precondition = ({ metadata }: Pod) => ({
  uid: metadata.uid,
  ...(metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
});

const resized = (containers: readonly Container[], given: readonly Container[]): readonly Container[] =>
  containers.map((container) => {
    const { resources, resizePolicy } = given.find(({ name }) => name === container.name) ?? container;
    return { ...container, ...(resources && { resources }), ...(resizePolicy && { resizePolicy }) };
  });

/** Only CPU and memory can be changed while containers run. */
function resizable(now: PodSpec, then: PodSpec) {
  const others = (container: Container | undefined): unknown =>
    ['limits', 'requests'].map((kind) =>
      // These are the two texts of the list above.
      Object.entries(container?.resources?.[kind as 'limits' | 'requests'] ?? {}).filter(
        ([name]) => name !== 'cpu' && name !== 'memory',
      ),
    );
  return now.containers.flatMap((container, index) =>
    isDeepStrictEqual(others(container), others(then.containers[index]))
      ? []
      : [forbiddenField(`spec.containers[${index}].resources`, 'only cpu and memory resources are mutable')],
  );
}
