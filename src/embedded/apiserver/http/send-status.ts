import { JSON_TYPE, PROTOBUF } from '../../../api/transport/content-forms.ts';
import type { AcceptedForm } from './accepted-form.ts';
import { protobufObject } from './encode-protobuf.ts';
import type { HttpExchange } from '../http-exchange.ts';
import type { FailureStatus } from '../store/refusal.ts';

/** Answers a request with the API's refusal. */
export function sendStatus(
  exchange: HttpExchange,
  status: FailureStatus,
  encoding: AcceptedForm['encoding'] = 'json',
): void {
  const seconds = status.details?.retryAfterSeconds;
  if (seconds !== undefined) exchange.header('retry-after', String(seconds));
  const bytes = encoding === 'protobuf' ? protobufObject(status) : undefined;
  if (bytes !== undefined) return exchange.answer(status.code, PROTOBUF, bytes);
  exchange.answer(status.code, JSON_TYPE, `${JSON.stringify(status)}\n`);
}
