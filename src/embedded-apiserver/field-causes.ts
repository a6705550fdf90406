import { REQUIRED } from '../kube/field-checks.ts';
import type { FieldProblem } from '../kube/field-path.ts';
import { formatFieldPath } from '../kube/field-path.ts';
import type { StatusCause } from './refusal.ts';

const ONE_OF = 'must be one of ';

/** What validation found, in the form in which the API names it. */
export function causeOf({ path, value, message }: FieldProblem): StatusCause {
  const field = formatFieldPath(path);
  if (message === REQUIRED) return { reason: 'FieldValueRequired', message: 'Required value', field };
  const shown = JSON.stringify(value) ?? 'null';
  if (message === 'is there twice')
    return { reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown}`, field };
  if (message.startsWith(ONE_OF)) {
    const supported = message
      .slice(ONE_OF.length)
      .split(', ')
      .map((each) => JSON.stringify(each));
    const text = `Unsupported value: ${shown}: supported values: ${supported.join(', ')}`;
    return { reason: 'FieldValueNotSupported', message: text, field };
  }
  return value === undefined
    ? { reason: 'FieldValueRequired', message: `Required value: ${message}`, field }
    : { reason: 'FieldValueInvalid', message: `Invalid value: ${shown}: ${message}`, field };
}

export const required = (field: string, why?: string): StatusCause => ({
  reason: 'FieldValueRequired',
  message: why === undefined ? 'Required value' : `Required value: ${why}`,
  field,
});

export const invalidValue = (field: string, value: unknown, why: string): StatusCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value) ?? 'null'}: ${why}`,
  field,
});

export const forbiddenField = (field: string, why: string): StatusCause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field,
});
