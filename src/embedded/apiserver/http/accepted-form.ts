import { PROTOBUF } from '../../../api/transport/content-forms.ts';

/** The requested form of an answer. */
export interface AcceptedForm {
  readonly form: 'object' | 'table' | 'metadata';
  /** The version of a table. */
  readonly version: 'v1' | 'v1beta1';
  readonly encoding: 'json' | 'protobuf';
}

/** Returns the first form in an `Accept` header that this server supports. `undefined` when there is none. */
export function acceptedForm(accept: string | undefined): AcceptedForm | undefined {
  if (accept === undefined || accept.trim() === '') return { form: 'object', version: 'v1', encoding: 'json' };
  for (const part of accept.split(',')) {
    const [type, ...parameters] = part.split(';').map((each) => each.trim());
    if (type === PROTOBUF && parameters.length === 0) return { form: 'object', version: 'v1', encoding: 'protobuf' };
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    // The second part may be missing, which counts as a parameter that is not given.
    const named = new Map(parameters.map((each) => each.split('=') as [string, string]));
    const asked = named.get('v') ?? 'v1';
    if (asked !== 'v1' && asked !== 'v1beta1') continue;
    const version = asked;
    switch (named.get('as')) {
      case 'Table':
        return { form: 'table', version, encoding: 'json' };
      case 'PartialObjectMetadata':
      case 'PartialObjectMetadataList':
        return { form: 'metadata', version, encoding: 'json' };
      case undefined:
        return { form: 'object', version, encoding: 'json' };
      default:
      // some other form, which is not supported here
    }
  }
  return undefined;
}
