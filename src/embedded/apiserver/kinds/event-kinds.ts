import { object } from '../../../kube/manifest/decode-shape.ts';
import { own } from '../../../kube/text/own.ts';
import type { ApiObject, Members } from '../store/api-object.ts';
import { membersOf, textOf as text, withoutUndefined } from '../store/api-object.ts';
import { invalidValue, required } from '../store/field-causes.ts';
import type { StatusCause } from '../store/refusal.ts';
import type { SelectableFields } from '../store/field-selector.ts';
import { objectReference, topLevel } from './common-shapes.ts';
import { defineKind } from './define-kind.ts';

const source = object({ component: 'string', host: 'string' });
const series = object({ count: 'int', lastObservedTime: 'string' });
const shared = {
  eventTime: 'string',
  series,
  action: 'string',
  reason: 'string',
  related: objectReference,
  type: 'string',
  reportingInstance: 'string',
} as const;

const about =
  (member: string) =>
  (event: ApiObject): string =>
    text(own(membersOf(event, 'involvedObject'), member));

/** Fields of the stored form, which is core/v1. */
const fields: SelectableFields = {
  'involvedObject.kind': about('kind'),
  'involvedObject.namespace': about('namespace'),
  'involvedObject.name': about('name'),
  'involvedObject.uid': about('uid'),
  'involvedObject.apiVersion': about('apiVersion'),
  'involvedObject.resourceVersion': about('resourceVersion'),
  'involvedObject.fieldPath': about('fieldPath'),
  reason: (event) => text(event['reason']),
  reportingComponent: (event) => text(event['reportingComponent']),
  source: (event) => text(membersOf(event, 'source')['component']) || text(event['reportingComponent']),
  type: (event) => text(event['type']),
};

/** An event lies in the namespace of its object; events of cluster-scoped objects lie in `default`. */
function placeProblems(event: ApiObject): readonly StatusCause[] {
  const { namespace = '' } = event.metadata;
  const where = about('namespace')(event);
  if (where === namespace || (where === '' && namespace === 'default')) return [];
  return [invalidValue('involvedObject.namespace', where, 'does not match event.namespace')];
}

/** Members that an event of the newer version must have (KEP-383). */
function newEventProblems(event: ApiObject): readonly StatusCause[] {
  const type = text(event['type']);
  const absent = ['eventTime', 'reportingComponent', 'reportingInstance', 'action', 'reason']
    .filter((member) => text(own(event, member)) === '')
    .map((member) => required(member === 'reportingComponent' ? 'reportingController' : member));
  const wrongType = type === 'Normal' || type === 'Warning' ? [] : [invalidValue('type', type, 'has invalid value')];
  return [...placeProblems(event), ...absent, ...wrongType];
}

export const eventKind = defineKind({
  group: '',
  version: 'v1',
  kind: 'Event',
  resource: 'events',
  shortNames: ['ev'],
  namespaced: true,
  shape: topLevel({
    ...shared,
    involvedObject: objectReference,
    message: 'string',
    source,
    firstTimestamp: 'string',
    lastTimestamp: 'string',
    count: 'int',
    reportingComponent: 'string',
  }),
  fields,
  rules: { validate: placeProblems },
});

/** The same events as events.k8s.io/v1 names their members. */
const renamed: readonly (readonly [stored: string, shown: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

function rename(object: ApiObject, names: ReadonlyMap<string, string>, apiVersion: string): ApiObject {
  const members: Members = Object.fromEntries(
    Object.entries(object).map(([name, value]) => [names.get(name) ?? name, value]),
  );
  // Only members of events are renamed, none that every object has.
  return withoutUndefined({ ...members, apiVersion }) as ApiObject;
}

const toShown = new Map(renamed);
const toStored = new Map(renamed.map(([stored, shown]) => [shown, stored]));

export const newEventKind = defineKind({
  group: 'events.k8s.io',
  version: 'v1',
  kind: 'Event',
  resource: 'events',
  shortNames: ['ev'],
  namespaced: true,
  shape: topLevel({
    ...shared,
    regarding: objectReference,
    note: 'string',
    reportingController: 'string',
    deprecatedSource: source,
    deprecatedFirstTimestamp: 'string',
    deprecatedLastTimestamp: 'string',
    deprecatedCount: 'int',
  }),
  fields,
  rules: { validate: newEventProblems },
  storedAs: 'events',
  view: {
    show: (stored) => rename(stored, toShown, 'events.k8s.io/v1'),
    store: (shown) => rename(shown, toStored, 'v1'),
  },
});
