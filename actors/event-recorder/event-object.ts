import { apiTime } from '../../src/pod/values/api-time.ts';
import type { RecordedEvent } from './protocol.ts';

/** Namespace of events; `default` for objects without a namespace. */
export const namespaceOf = ({ event: { object } }: RecordedEvent): string => object.namespace ?? 'default';

/** The API's limits on message (bytes) and reason. */
const LONGEST_MESSAGE = 1_024;
const CUT = '…';
const LONGEST_REASON = 128;
function withinLimit(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= LONGEST_MESSAGE) return message;
  // The decoder holds back a character that the cut divides; that character is left out.
  const kept = new TextDecoder().decode(bytes.subarray(0, LONGEST_MESSAGE - Buffer.byteLength(CUT)), { stream: true });
  return `${kept}${CUT}`;
}

/** The Event object (core/v1) to create. */
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

/** The fields that change when the event happens again. */
export const eventPatch = ({ message, count, lastAt }: RecordedEvent) => ({
  count,
  lastTimestamp: apiTime(lastAt),
  message: withinLimit(message),
});
