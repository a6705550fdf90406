import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../actor/clock.ts';
import type { CoreAnswer } from '../store/core-contract.ts';
import { encodeEvent, type Form } from './negotiate.ts';

/** How many events are read at once. Also bounds what waits in a connection whose peer does not read. */
const BATCH = 100;

/**
 * Sends the events of a watch, one on each line. Nothing is read while the connection is full. The watch is closed
 * with the connection.
 */
export function streamWatch(
  response: ServerResponse,
  { watch, kind }: Extract<CoreAnswer, { type: 'watch' }>,
  { form, clock }: { readonly form: Form; readonly clock: Clock },
): void {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  let isOver = false;
  const read = (): void => {
    if (isOver) return;
    const { events, isEnded } = watch.read(BATCH);
    // Ages in a table count from when each row is sent.
    const now: Form = { ...form, table: { ...form.table, now: clock.now() } };
    const hasRoom =
      events.length === 0 || response.write(events.map((event) => encodeEvent(kind, event, now)).join(''));
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
