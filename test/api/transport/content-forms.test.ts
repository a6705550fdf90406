import { describe, expect, it } from 'vitest';
import { ContentForms, formOfAnswer, isFormRefused } from '../../../src/api/transport/content-forms.ts';
import { manualClock } from '../../support/manual-clock.ts';

describe('the form of a request', () => {
  it.each([
    { resource: 'pods', form: 'protobuf' },
    { resource: 'pods/status', form: 'protobuf' },
    { resource: 'events', form: 'protobuf' },
    { resource: '/version', form: 'json' },
    { resource: 'widgets', form: 'json' },
    { resource: 'constructor', form: 'json' },
  ])('is $form for $resource', ({ resource, form }) => {
    expect(new ContentForms('protobuf', manualClock()).formOf(resource)).toBe(form);
    expect(new ContentForms('json', manualClock()).formOf(resource)).toBe('json');
  });

  it('is JSON for half an hour where the server did not take protobuf, and only for that resource', () => {
    const clock = manualClock();
    const forms = new ContentForms('protobuf', clock);
    expect(forms.refused('pods')).toBe(true);
    expect(forms.refused('pods')).toBe(false);
    expect([forms.formOf('pods'), forms.formOf('pods/status')]).toEqual(['json', 'protobuf']);
    clock.advance(30 * 60_000 - 1);
    expect(forms.formOf('pods')).toBe('json');
    clock.advance(1);
    expect(forms.formOf('pods')).toBe('protobuf');
    expect(forms.refused('pods')).toBe(true);
  });
});

describe('the form of an answer', () => {
  it.each([
    { type: 'application/json', form: 'json' },
    { type: 'application/json; charset=utf-8', form: 'json' },
    { type: 'application/vnd.kubernetes.protobuf', form: 'protobuf' },
    { type: 'application/vnd.kubernetes.protobuf;stream=watch', form: 'protobuf' },
    { type: 'text/html', form: undefined },
    { type: undefined, form: undefined },
  ])('is $form for $type', ({ type, form }) => {
    expect(formOfAnswer(type)).toBe(form);
  });

  it.each([406, 415])('was refused with %i', (code) => {
    expect(isFormRefused(code)).toBe(true);
  });
  it.each([200, 400, 404, 409, 422, 500])('was not refused with %i', (code) => {
    expect(isFormRefused(code)).toBe(false);
  });
});
