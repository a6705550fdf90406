import { describe, expect, it } from 'vitest';
import { readBody } from '../../../../src/embedded/apiserver/http/read-body.ts';
import { Refusal } from '../../../../src/embedded/apiserver/store/refusal.ts';
import { keyed } from '../../../../src/kube/text/own.ts';
import { FOREIGN_NAMES } from '../../../support/foreign-names.ts';
import { HOSTILE_DOCUMENTS } from '../../../support/hostile-documents.ts';

const YAML = 'application/apply-patch+yaml';
const read = (text: string, type = YAML): unknown => readBody(Buffer.from(text), type);

/** Returns the code and the message of the error. */
function refusal(text: string): { readonly code: number; readonly message: string } | undefined {
  const answer = read(text);
  return answer instanceof Refusal ? { code: answer.status.code, message: answer.status.message } : undefined;
}

describe('the body of a request in YAML', () => {
  it.each([
    {
      what: 'a mapping',
      text: 'kind: Pod\nspec: {containers: [{name: a}]}',
      is: { kind: 'Pod', spec: { containers: [{ name: 'a' }] } },
    },
    { what: 'JSON', text: '{"kind": "Pod"}', is: { kind: 'Pod' } },
    { what: 'an alias', text: 'a: &a [1]\nb: *a', is: { a: [1], b: [1] } },
    { what: 'a comment', text: '# nothing', is: null },
  ])('is read: $what', ({ text, is }) => {
    expect(read(text)).toEqual(is);
  });

  it.each(FOREIGN_NAMES)('has %s as an own key', (name) => {
    expect(read(`${name}: 1`)).toEqual(keyed([[name, 1]]));
    expect(Object.entries(read(`${name}: 1`) as object)).toEqual([[name, 1]]);
  });

  it.each([
    { what: 'two documents', text: 'a: 1\n---\nb: 1' },
    { what: 'a key twice', text: 'a: 1\na: 2' },
    { what: 'invalid YAML', text: '{' },
  ])('is rejected if the body is $what', ({ text }) => {
    expect(refusal(text)).toEqual({
      code: 400,
      message: expect.stringMatching(/^the body of the request is no YAML: ./),
    });
  });

  it.each(HOSTILE_DOCUMENTS)('is rejected without being parsed if the body has $what', ({ text, says }) => {
    expect(refusal(text)).toEqual({ code: 400, message: expect.stringMatching(says) });
  });
});
