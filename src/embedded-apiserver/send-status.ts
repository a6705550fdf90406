import type { FastifyReply } from 'fastify';
import type { FailureStatus } from './refusal.ts';

/** The API's no, as the answer to a request. */
export async function sendStatus(reply: FastifyReply, status: FailureStatus): Promise<void> {
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined) reply.header('retry-after', String(seconds));
  await reply
    .code(status.code)
    .type('application/json')
    .send(`${JSON.stringify(status)}\n`);
}
