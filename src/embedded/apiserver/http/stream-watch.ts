import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../actor/clock.ts';
import type { WatchEvent } from '../../../api/api-transport.ts';
import { JSON_TYPE, PROTOBUF } from '../../../api/transport/content-forms.ts';
import type { CoreAnswer } from '../store/core-contract.ts';
import { hasProtobufForm, protobufEvent } from './encode-protobuf.ts';
import { encodeEvent, type Form } from './negotiate.ts';

/** How many events are read at once. Also bounds what waits in a connection whose peer does not read. */
const BATCH = 100;

/**
 * Sends the events of a watch: one on each line, or in frames of protobuf. Nothing is read while the connection is full. The watch is closed
 * with the connection.
 */
export function streamWatch(
  response: ServerResponse,
  { watch, kind }: Extract<CoreAnswer, { type: 'watch' }>,
  { form, clock }: { readonly form: Form; readonly clock: Clock },
): void {
  const inProtobuf = form.encoding === 'protobuf' && hasProtobufForm(kind);
  response.writeHead(200, {
    'content-type': inProtobuf ? `${PROTOBUF};stream=watch` : JSON_TYPE,
    'cache-control': 'no-cache, private',
  });
  response.flushHeaders();
  const encoded = (events: readonly WatchEvent[], now: Form): string | Buffer =>
    inProtobuf
      ? Buffer.concat(events.map(protobufEvent))
      : events.map((event) => encodeEvent(kind, event, now)).join('');
  let isOver = false;
  const read = (): void => {
    if (isOver) return;
    const { events, isEnded } = watch.read(BATCH);
    // Ages in a table count from when each row is sent.
    const now: Form = { ...form, table: { ...form.table, now: clock.now() } };
    const hasRoom = events.length === 0 || response.write(encoded(events, now));
    if (isEnded) {
      isOver = true;
      response.end();
    } else if (hasRoom) {
      // Writes of one turn are sent together.
      watch.onReadable(() => setImmediate(read));
    } else {
      response.once('drain', read);
    }
  };
  response.on('close', () => {
    isOver = true;
    watch.close();
  });
  response.on('error', () => response.destroy());
  watch.onReadable(() => setImmediate(read));
}
