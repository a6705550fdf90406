import { describe, expect, it } from 'vitest';
import { faultOfStatus, refusalOf } from '../../src/api/api-fault.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const status = (more: object): string => JSON.stringify({ kind: 'Status', code: 429, ...more });
const refusal = (more: { readonly retryAfter?: string; readonly body?: string }) =>
  refusalOf({ code: 429, retryAfter: more.retryAfter, body: more.body ?? '', now: NOW });

describe('how long a server asks its client to stay away', () => {
  it.each([
    { rule: 'is in seconds', given: { retryAfter: '7' }, is: 7_000 },
    { rule: 'is a date', given: { retryAfter: 'Thu, 01 Jan 2026 00:00:30 GMT' }, is: 30_000 },
    { rule: 'is over when the date has passed', given: { retryAfter: 'Thu, 01 Jan 2015 00:00:00 GMT' }, is: 0 },
    { rule: 'is in the body', given: { body: status({ details: { retryAfterSeconds: 3 } }) }, is: 3_000 },
    {
      rule: 'is in the header before the body',
      given: { retryAfter: '7', body: status({ details: { retryAfterSeconds: 3 } }) },
      is: 7_000,
    },
    { rule: 'is an hour if Retry-After is more', given: { retryAfter: '3601' }, is: HOUR },
    { rule: 'is an hour if Retry-After is years', given: { retryAfter: '99999999999' }, is: HOUR },
    { rule: 'is an hour if Retry-After is beyond all numbers', given: { retryAfter: '9'.repeat(400) }, is: HOUR },
    { rule: 'is an hour where the date is far', given: { retryAfter: 'Fri, 01 Jan 2100 00:00:00 GMT' }, is: HOUR },
    {
      rule: 'is an hour if the body has more',
      given: { body: status({ details: { retryAfterSeconds: 1e9 } }) },
      is: HOUR,
    },
    {
      rule: 'is an hour if the body has more than the header',
      given: { body: status({ details: { retryAfterSeconds: 1e308 } }) },
      is: HOUR,
    },
    { rule: 'is not there', given: {}, is: undefined },
    { rule: 'is no time', given: { retryAfter: 'soon' }, is: undefined },
    { rule: 'is text in the body', given: { body: status({ details: { retryAfterSeconds: '3' } }) }, is: undefined },
    { rule: 'is negative in the body', given: { body: status({ details: { retryAfterSeconds: -3 } }) }, is: undefined },
    { rule: 'has null for details', given: { body: status({ details: null }) }, is: undefined },
  ])('$rule: $is ms', ({ given, is }) => {
    expect(refusal(given).retryAfterMs).toBe(is);
  });
});

describe('the message of a refusal', () => {
  const LONG = 'x'.repeat(5_000);
  const cut = `${'x'.repeat(1_024)}… (3976 more characters)`;

  it('is cut, and so is its reason', () => {
    const { reason, message } = refusal({ body: status({ message: LONG, reason: LONG }) });
    expect([reason, message]).toEqual([cut, cut]);
    expect(faultOfStatus({ kind: 'Status', message: LONG, reason: LONG })).toMatchObject({ reason: cut, message: cut });
  });

  it('shows the beginning of a body that is not a Status', () => {
    expect(refusal({ body: LONG }).message).toBe(`the server answered 429: ${'x'.repeat(200)}… (4800 more characters)`);
  });

  it.each(['{', '{"kind":"Status","message":{}}', '[]', 'null', '{"kind":"Status","reason":7}'])(
    'is readable for any body: %s',
    (body) => {
      expect(refusal({ body })).toMatchObject({ kind: 'refused', code: 429, reason: 'TooManyRequests' });
    },
  );
});
