import { REQUIRED } from '../../../kube/validation/field-checks.ts';
import type { FieldProblem } from '../../../kube/validation/field-path.ts';
import { formatFieldPath } from '../../../kube/validation/field-path.ts';
import type { StatusCause } from './refusal.ts';

const ONE_OF = 'must be one of ';
const NO_VOLUME = 'is not a volume of the pod';
const OVER_LIMIT = 'must not be more than the limit';

/** The API names the map that contains the member; the message names the member. */
function fieldOf(path: FieldProblem['path'], message: string): string {
  const isOfMap =
    message === OVER_LIMIT || (path[0] === 'metadata' && (path[1] === 'labels' || path[1] === 'annotations'));
  return formatFieldPath(isOfMap && path.length > 2 ? path.slice(0, -1) : path);
}

/** Returns a validation problem in the API's form. */
export function causeOf({ path, value, message }: FieldProblem): StatusCause {
  const field = fieldOf(path, message);
  if (message === REQUIRED) return { reason: 'FieldValueRequired', message: 'Required value', field };
  const shown = JSON.stringify(value) ?? 'null';
  if (message === NO_VOLUME) return { reason: 'FieldValueNotFound', message: `Not found: ${shown}`, field };
  if (message === 'appears twice')
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

export const unsupportedValue = (field: string, value: unknown, supported: readonly string[]): StatusCause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(value) ?? 'null'}: supported values: ${supported.map((each) => JSON.stringify(each)).join(', ')}`,
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
