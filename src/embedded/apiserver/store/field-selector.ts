import { own } from '../../../kube/text/own.ts';
import type { ApiObject } from './api-object.ts';
import { badRequest } from './refusal.ts';

/** The selectable fields of a kind, and how their values are read. */
export type SelectableFields = Readonly<Record<string, (object: ApiObject) => string>>;

interface Requirement {
  readonly field: string;
  readonly value: string;
  readonly isEqual: boolean;
}

export interface FieldSelector {
  readonly matches: (object: ApiObject) => boolean;
  /** The only name that can match, if the selector names one: then no other object is examined. */
  readonly name: string | undefined;
}

const everything: FieldSelector = { matches: () => true, name: undefined };

/** Reads `a=b,c!=d`. Only the kind's selectable fields may be named, as in the API. */
export function parseFieldSelector(text: string | undefined, fields: SelectableFields): FieldSelector {
  if (text === undefined || text === '') return everything;
  const requirements = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => parseRequirement(part, text));
  const tests = requirements.map(({ field, value, isEqual }) => {
    const valueOf = own(fields, field);
    if (valueOf === undefined) {
      throw badRequest(`field label not supported: ${field}`);
    }
    return (object: ApiObject) => (valueOf(object) === value) === isEqual;
  });
  return {
    matches: (object) => tests.every((holds) => holds(object)),
    name: requirements.find(({ field, isEqual }) => isEqual && field === 'metadata.name')?.value,
  };
}

function parseRequirement(part: string, whole: string): Requirement {
  const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(part);
  if (!match) throw badRequest(`invalid selector: ${JSON.stringify(whole)}; can't understand ${JSON.stringify(part)}`);
  const [, field = '', operator, value = ''] = match;
  return { field: field.trim(), value: value.replaceAll(/\\([\\,=])/g, '$1'), isEqual: operator !== '!=' };
}

export const metadataFields: SelectableFields = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
};
