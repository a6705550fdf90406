import { own } from '../../../kube/text/own.ts';
import { type ApiKind, qualifiedResource } from '../store/api-kind.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf, textOf } from '../store/api-object.ts';
import { ageSince } from '../../../kube/text/human-duration.ts';
import { nodeColumns } from './node-columns.ts';
import { podColumns } from './pod-columns.ts';
import type { Column } from './column.ts';

const name: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'The name of the object.',
  cell: ({ metadata }) => metadata.name,
};
const age: Column = {
  name: 'Age',
  type: 'string',
  description: 'Since when it is there.',
  cell: ({ metadata }, now) => ageSince(metadata.creationTimestamp, now),
};

const column = (title: string, cell: Column['cell'], wide?: true): Column => ({
  name: title,
  type: 'string',
  description: title,
  cell,
  ...(wide && { wide }),
});
const count = (title: string, cell: (object: ApiObject) => number): Column => ({
  name: title,
  type: 'integer',
  description: title,
  cell,
});

const spec = (object: ApiObject) => membersOf(object, 'spec');
const sizeOf = (value: unknown): number =>
  Array.isArray(value) ? value.length : isMembers(value) ? Object.keys(value).length : 0;

/** The time of an event's last occurrence: the newest of its time members. */
const lastSeen = (event: ApiObject): string =>
  textOf(membersOf(event, 'series')['lastObservedTime']) ||
  textOf(event['lastTimestamp'] ?? event['deprecatedLastTimestamp']) ||
  textOf(event['eventTime']) ||
  textOf(event['firstTimestamp'] ?? event['deprecatedFirstTimestamp']);
const firstSeen = (event: ApiObject): string =>
  textOf(event['firstTimestamp'] ?? event['deprecatedFirstTimestamp']) || textOf(event['eventTime']);
const about = (event: ApiObject) => {
  const stored = membersOf(event, 'involvedObject');
  return Object.keys(stored).length > 0 ? stored : membersOf(event, 'regarding');
};

const eventColumns: readonly Column[] = [
  column('Last Seen', (event, now) => ageSince(lastSeen(event), now)),
  column('Type', (event) => textOf(event['type'])),
  column('Reason', (event) => textOf(event['reason'])),
  column('Object', (event) => `${textOf(about(event)['kind']).toLowerCase()}/${textOf(about(event)['name'])}`),
  column('Subobject', (event) => textOf(about(event)['fieldPath']), true),
  column(
    'Source',
    (event) => {
      const { component, host } = membersOf(event, 'source');
      return [textOf(component) || textOf(event['reportingComponent'] ?? event['reportingController']), textOf(host)]
        .filter((part) => part !== '')
        .join(', ');
    },
    true,
  ),
  column('Message', (event) => textOf(event['message'] ?? event['note']).trim()),
  column('First Seen', (event, now) => ageSince(firstSeen(event), now), true),
  column('Count', (event) => String(Number(membersOf(event, 'series')['count'] ?? event['count'] ?? 1)), true),
  { ...name, wide: true },
];

const ports = (service: ApiObject): string => {
  const list = spec(service)['ports'];
  const all = Array.isArray(list) ? list.filter(isMembers) : [];
  return all.map(({ port, protocol }) => `${Number(port)}/${textOf(protocol)}`).join(',') || '<none>';
};

const csrState = (request: ApiObject): string => {
  const { conditions, certificate } = membersOf(request, 'status');
  const types = Array.isArray(conditions) ? conditions.filter(isMembers).map(({ type }) => textOf(type)) : [];
  const known = types.length === 0 ? ['Pending'] : types;
  return [...known, ...(textOf(certificate) === '' ? [] : ['Issued'])].join(',');
};

const byResource: Readonly<Record<string, readonly Column[]>> = {
  pods: podColumns,
  nodes: nodeColumns,
  events: eventColumns,
  'events.events.k8s.io': eventColumns,
  namespaces: [name, column('Status', (object) => textOf(membersOf(object, 'status')['phase'])), age],
  configmaps: [name, count('Data', (object) => sizeOf(object['data']) + sizeOf(object['binaryData'])), age],
  secrets: [
    name,
    column('Type', (object) => textOf(object['type'])),
    count('Data', (object) => sizeOf(object['data'])),
    age,
  ],
  services: [
    name,
    column('Type', (object) => textOf(spec(object)['type'])),
    column('Cluster-IP', (object) => textOf(spec(object)['clusterIP']) || '<none>'),
    column('External-IP', () => '<none>'),
    column('Port(s)', ports),
    age,
  ],
  serviceaccounts: [name, count('Secrets', (object) => sizeOf(object['secrets'])), age],
  'leases.coordination.k8s.io': [name, column('Holder', (object) => textOf(spec(object)['holderIdentity'])), age],
  'runtimeclasses.node.k8s.io': [name, column('Handler', (object) => textOf(object['handler'])), age],
  'priorityclasses.scheduling.k8s.io': [
    name,
    count('Value', (object) => Number(object['value'] ?? 0)),
    column('Global-Default', (object) => String(object['globalDefault'] === true)),
    age,
    column('PreemptionPolicy', (object) => textOf(object['preemptionPolicy'])),
  ],
  'clustertrustbundles.certificates.k8s.io': [
    name,
    column('SignerName', (object) => textOf(spec(object)['signerName'])),
  ],
  'certificatesigningrequests.certificates.k8s.io': [
    name,
    age,
    column('SignerName', (object) => textOf(spec(object)['signerName'])),
    column('Requestor', (object) => textOf(spec(object)['username'])),
    column('RequestedDuration', (object) => {
      const seconds = spec(object)['expirationSeconds'];
      return typeof seconds === 'number' ? `${seconds}s` : '<none>';
    }),
    column('Condition', csrState),
  ],
  'csinodes.storage.k8s.io': [name, count('Drivers', (object) => sizeOf(spec(object)['drivers'])), age],
};

/** Returns the columns of a kind; name and age by default. */
export const columnsOf = ({ group, resource }: ApiKind): readonly Column[] =>
  own(byResource, qualifiedResource(group, resource)) ?? [name, age];
