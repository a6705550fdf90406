import type { CoreOperations } from './core-contract.ts';
import type { ApiKind, ApiUser, KindContext } from './api-kind.ts';
import type { ApiObject } from './api-object.ts';
import { allKinds } from './all-kinds.ts';
import { bindPodsTo, bindToANode } from '../subresources/binder.ts';
import { judgeRequest } from '../subresources/certificate-requests.ts';
import { newlyAggregated } from '../access/aggregated-rules.ts';
import { defaultRoles } from '../access/default-roles.ts';
import { clusterRoleBindingKind, clusterRoleKind } from '../kinds/access-kinds.ts';
import { priorityClassKind } from '../kinds/cluster-kinds.ts';
import { configMapKind, serviceAccountKind } from '../kinds/config-kinds.ts';
import { namespaceKind } from '../kinds/namespace-kind.ts';
import { keyOf } from './object-store.ts';
import type { WriteOptions } from './write-options.ts';

/**
 * This server's own actions when objects are created, changed and removed. There are no controllers beyond these.
 */
export interface Housekeeping {
  begin(): void;
  created(kind: ApiKind, object: ApiObject): void;
  updated(kind: ApiKind, object: ApiObject): void;
  /** The object's deletion was requested; the object may still exist. */
  deleted(kind: ApiKind, object: ApiObject): void;
  /** The object is gone. */
  removed(storedAs: string, object: ApiObject): void;
}

export const serverUser: ApiUser = { username: 'system:apiserver', groups: ['system:masters'] };

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const;
const EVENTS_LIVE_MS = 3_600_000;

export const ownWrites: WriteOptions = {
  isDryRun: false,
  fieldManager: 'kube-apiserver',
  namesItself: false,
  force: false,
  fieldValidation: 'Ignore',
  warn: () => {},
};

export function housekeeping(core: CoreOperations): Housekeeping {
  const { store, writer, options } = core;
  const context = (): KindContext => core.contextOf(serverUser);

  function make(kind: ApiKind, object: { readonly metadata: ApiObject['metadata'] } & Record<string, unknown>): void {
    const { name, namespace } = object.metadata;
    if (store.collection(kind.storedAs).get(keyOf(namespace, name))) return;
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    core.create(kind, { apiVersion, kind: kind.kind, ...object }, { context: context(), options: ownWrites });
  }

  function furnish(namespace: string): void {
    make(serviceAccountKind, { metadata: { name: 'default', namespace } });
    if (options.rootCertificate !== undefined) {
      make(configMapKind, {
        metadata: { name: 'kube-root-ca.crt', namespace },
        data: { 'ca.crt': options.rootCertificate },
      });
    }
  }

  function makePriorityClass(name: string, value: number): void {
    const description = `Used for what the ${name === 'system-node-critical' ? 'node' : 'cluster'} depends on.`;
    make(priorityClassKind, { metadata: { name }, value, description, globalDefault: false });
  }

  function makeRoles(): void {
    for (const { name, groups = [], labels, rules, aggregationRule } of defaultRoles) {
      const metadata = { name, ...(labels && { labels }) };
      make(clusterRoleKind, { metadata, rules, ...(aggregationRule && { aggregationRule }) });
      if (groups.length === 0) continue;
      const subjects = groups.map((group) => ({ kind: 'Group', name: group }));
      make(clusterRoleBindingKind, { metadata: { name }, subjects, roleRef: { kind: 'ClusterRole', name } });
    }
  }

  /** Updates aggregated ClusterRoles. Terminates, because an update without a change is not written. */
  function aggregate(storedAs: string): void {
    if (storedAs !== clusterRoleKind.storedAs) return;
    const roles = [...store.collection(storedAs).inOrderOfCreation()];
    for (const role of roles) {
      const rules = newlyAggregated(role, roles);
      if (rules === undefined) continue;
      const { name } = role.metadata;
      const change = (old: ApiObject): ApiObject => ({ ...old, rules });
      core.update(
        { kind: clusterRoleKind, namespace: undefined, name, part: 'object', change, options: ownWrites },
        context(),
      );
      // The changed role may be part of other roles, including roles not examined yet.
      return;
    }
  }

  /** Events live for an hour; each new event removes expired ones, oldest first. */
  function expireEvents(): void {
    const events = store.collection('events');
    const oldest = options.clock.now() - EVENTS_LIVE_MS;
    const old: ApiObject[] = [];
    for (const event of events.inOrderOfCreation()) {
      if (Date.parse(event.metadata.creationTimestamp ?? '') >= oldest) break;
      old.push(event);
    }
    for (const { metadata } of old) store.remove('events', keyOf(metadata.namespace, metadata.name));
  }

  function contentsOf(namespace: string): readonly (readonly [ApiKind, ApiObject])[] {
    return allKinds
      .filter((kind) => kind.namespaced && kind.view === undefined)
      .flatMap((kind) =>
        [...store.collection(kind.storedAs).inOrderOfCreation()]
          .filter(({ metadata }) => metadata.namespace === namespace)
          .map((object) => [kind, object] as const),
      );
  }

  function emptyNamespace(namespace: ApiObject): void {
    const { name } = namespace.metadata;
    for (const [kind, { metadata }] of contentsOf(name)) {
      const ask = { gracePeriodSeconds: undefined, uid: undefined, resourceVersion: undefined, isDryRun: false };
      writer.delete({ kind, namespace: name, name: metadata.name }, ask, context());
    }
    finishNamespace(name);
  }

  function finishNamespace(name: string): void {
    const namespace = store.collection(namespaceKind.storedAs).get(name);
    if (namespace?.metadata.deletionTimestamp === undefined || contentsOf(name).length > 0) return;
    writer.finish(namespaceKind, namespace);
  }

  return {
    begin() {
      for (const name of NAMESPACES) make(namespaceKind, { metadata: { name } });
      makePriorityClass('system-cluster-critical', 2_000_000_000);
      makePriorityClass('system-node-critical', 2_000_001_000);
      makeRoles();
    },
    created(kind, object) {
      switch (kind.storedAs) {
        case 'namespaces':
          return furnish(object.metadata.name);
        case 'pods':
          return options.bindPods === false ? undefined : bindToANode(core, context(), object);
        case 'nodes':
          return options.bindPods === false ? undefined : bindPodsTo(core, context(), object);
        case 'events':
          return expireEvents();
        case 'certificatesigningrequests.certificates.k8s.io':
          return judgeRequest(core, object);
        case clusterRoleKind.storedAs:
          return aggregate(kind.storedAs);
        default:
      }
    },
    updated(kind, object) {
      if (kind.storedAs === 'nodes' && options.bindPods !== false) bindPodsTo(core, context(), object);
      aggregate(kind.storedAs);
    },
    deleted(kind, object) {
      if (kind.storedAs === 'namespaces' && object.metadata.deletionTimestamp !== undefined) emptyNamespace(object);
    },
    removed(storedAs, { metadata }) {
      aggregate(storedAs);
      // A terminating namespace may have waited for this object only.
      if (metadata.namespace === undefined || storedAs === 'namespaces') return;
      const namespace = store.collection(namespaceKind.storedAs).get(metadata.namespace);
      if (namespace?.metadata.deletionTimestamp !== undefined) finishNamespace(metadata.namespace);
    },
  };
}
