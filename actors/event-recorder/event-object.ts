import { apiTime } from '../../src/pod/api-time.ts';
import type { RecordedEvent } from './state.ts';

/** Namespace of events about objects that have none. */
export const namespaceOf = ({ event: { object } }: RecordedEvent): string => object.namespace ?? 'default';

/** The Event (core/v1) as it is created. */
export function eventObject(recorded: RecordedEvent, source: { readonly component: string; readonly host: string }) {
  const { event, name, message, count, firstAt, lastAt } = recorded;
  const { object, type, reason, annotations } = event;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name,
      namespace: namespaceOf(recorded),
      ...(annotations === undefined ? {} : { annotations }),
    },
    involvedObject: object,
    type,
    reason,
    message,
    source,
    count,
    firstTimestamp: apiTime(firstAt),
    lastTimestamp: apiTime(lastAt),
    reportingComponent: source.component,
    reportingInstance: source.host,
  };
}

/** What is new when it has happened again. */
export const eventPatch = ({ message, count, lastAt }: RecordedEvent) => ({
  count,
  lastTimestamp: apiTime(lastAt),
  message,
});
