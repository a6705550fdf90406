import { own } from '../../../kube/text/own.ts';
import type { ApiObject } from '../store/api-object.ts';
import { isMembers, membersOf, textOf } from '../store/api-object.ts';
import { ageSince } from '../../../kube/text/human-duration.ts';
import type { Column } from './column.ts';

const statusOf = (node: ApiObject) => membersOf(node, 'status');
const infoOf = (node: ApiObject) => membersOf(statusOf(node), 'nodeInfo');
const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isMembers) : []);

function condition(node: ApiObject): string {
  const ready = listOf(statusOf(node)['conditions']).find(({ type }) => type === 'Ready');
  const state = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return membersOf(node, 'spec')['unschedulable'] === true ? `${state},SchedulingDisabled` : state;
}

function roles({ metadata }: ApiObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const found = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(prefix) && key.length > prefix.length) return [key.slice(prefix.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return found.length === 0 ? '<none>' : [...new Set(found)].sort().join(',');
}

const address = (node: ApiObject, type: string): string =>
  textOf(listOf(statusOf(node)['addresses']).find((each) => each['type'] === type)?.['address']) || '<none>';

const info = (member: string) => (node: ApiObject) => textOf(own(infoOf(node), member)) || '<unknown>';

/** The columns of `kubectl get nodes`. */
export const nodeColumns: readonly Column[] = [
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'The name of the node.',
    cell: ({ metadata }) => metadata.name,
  },
  { name: 'Status', type: 'string', description: 'Whether it is ready, and takes new pods.', cell: condition },
  { name: 'Roles', type: 'string', description: 'What its labels say it is for.', cell: roles },
  {
    name: 'Age',
    type: 'string',
    description: 'Since when it is there.',
    cell: ({ metadata }, now) => ageSince(metadata.creationTimestamp, now),
  },
  {
    name: 'Version',
    type: 'string',
    description: 'Of its agent.',
    cell: (node) => textOf(infoOf(node)['kubeletVersion']),
  },
  {
    name: 'Internal-IP',
    type: 'string',
    wide: true,
    description: 'Its address inside.',
    cell: (node) => address(node, 'InternalIP'),
  },
  {
    name: 'External-IP',
    type: 'string',
    wide: true,
    description: 'Its address outside.',
    cell: (node) => address(node, 'ExternalIP'),
  },
  { name: 'OS-Image', type: 'string', wide: true, description: 'Its operating system.', cell: info('osImage') },
  { name: 'Kernel-Version', type: 'string', wide: true, description: 'Its kernel.', cell: info('kernelVersion') },
  {
    name: 'Container-Runtime',
    type: 'string',
    wide: true,
    description: 'What runs its containers.',
    cell: info('containerRuntimeVersion'),
  },
];
