import type { ServerResponse } from 'node:http';

/** An answer that is complete, or one that comes piece by piece. */
export type Reply =
  | {
      readonly type: 'text';
      readonly status: number;
      readonly contentType: string;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'stream';
      readonly contentType: string | undefined;
      readonly pieces: AsyncIterable<Buffer>;
      readonly headers?: Readonly<Record<string, string>>;
    };

export const textReply = (status: number, text: string, contentType = 'text/plain; charset=utf-8'): Reply => ({
  type: 'text',
  status,
  contentType,
  text,
});

export const jsonReply = (value: object, status = 200): Reply =>
  textReply(status, JSON.stringify(value), 'application/json');

/** An error as the kubelet says it: one line. */
export const errorReply = (status: number, problem: string): Reply => textReply(status, `${problem}\n`);

/** Refuses what the client may ask again in a moment. */
export const tooManyReply = (problem: string): Reply => ({
  type: 'text',
  status: 429,
  contentType: 'text/plain; charset=utf-8',
  text: `${problem}\n`,
  headers: { 'retry-after': '1' },
});

/** Sends pieces as they come. Waits whenever the client is slower, and leaves when the client does. */
export async function sendPieces(response: ServerResponse, pieces: AsyncIterable<Buffer>): Promise<void> {
  // The first byte may be long in coming: who waits for it is told at once that there will be an answer.
  response.flushHeaders();
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
