import type { ServerResponse } from 'node:http';

/** A complete answer, or an answer in pieces. */
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

/** An error in the kubelet's form: one line. */
export const errorReply = (status: number, problem: string): Reply => textReply(status, `${problem}\n`);

/** A refusal that the client may retry in a moment. */
export const tooManyReply = (problem: string): Reply => ({
  type: 'text',
  status: 429,
  contentType: 'text/plain; charset=utf-8',
  text: `${problem}\n`,
  headers: { 'retry-after': '1' },
});

/** Sends pieces as they come. Waits for a slow client, and stops when the client disconnects. */
export async function sendPieces(response: ServerResponse, pieces: AsyncIterable<Buffer>): Promise<void> {
  // The first byte may take long: the headers tell the client at once that an answer will come.
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
