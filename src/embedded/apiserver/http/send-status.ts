import type { HttpExchange } from '../http-exchange.ts';
import type { FailureStatus } from '../store/refusal.ts';

/** Answers a request with the API's refusal. */
export function sendStatus(exchange: HttpExchange, status: FailureStatus): void {
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined) exchange.header('retry-after', String(seconds));
  exchange.answer(status.code, 'application/json', `${JSON.stringify(status)}\n`);
}
