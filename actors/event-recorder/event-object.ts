import { apiTime } from '../../src/pod/values/api-time.ts';
import type { RecordedEvent } from './protocol.ts';

/** Namespace of events about objects that have none. */
export const namespaceOf = ({ event: { object } }: RecordedEvent): string => object.namespace ?? 'default';

/** The longest message and reason that the API takes, in bytes. */
const LONGEST_MESSAGE = 1_024;
const CUT = '…';
const LONGEST_REASON = 128;
function withinLimit(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= LONGEST_MESSAGE) return message;
  // A character that the cut goes through waits in the decoder, and is left out.
  const kept = new TextDecoder().decode(bytes.subarray(0, LONGEST_MESSAGE - Buffer.byteLength(CUT)), { stream: true });
  return `${kept}${CUT}`;
}

/** The Event (core/v1) as it is created. */
export function eventObject(recorded: RecordedEvent, source: { readonly component: string; readonly host: string }) {
  const { event, name, count, firstAt, lastAt } = recorded;
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
    reason: reason.slice(0, LONGEST_REASON),
    message: withinLimit(recorded.message),
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
  message: withinLimit(message),
});
