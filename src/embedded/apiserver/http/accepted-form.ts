/** In which form an answer is wanted. */
export interface AcceptedForm {
  readonly form: 'object' | 'table' | 'metadata';
  /** Of a table. */
  readonly version: 'v1' | 'v1beta1';
}

/** The first form in an `Accept` header that this server can give; undefined: none of them. */
export function acceptedForm(accept: string | undefined): AcceptedForm | undefined {
  if (accept === undefined || accept.trim() === '') return { form: 'object', version: 'v1' };
  for (const part of accept.split(',')) {
    const [type, ...parameters] = part.split(';').map((each) => each.trim());
    if (type !== 'application/json' && type !== '*/*' && type !== 'application/*') continue;
    const named = new Map(parameters.map((each) => each.split('=') as [string, string]));
    const asked = named.get('v') ?? 'v1';
    if (asked !== 'v1' && asked !== 'v1beta1') continue;
    const version = asked;
    switch (named.get('as')) {
      case 'Table':
        return { form: 'table', version };
      case 'PartialObjectMetadata':
      case 'PartialObjectMetadataList':
        return { form: 'metadata', version };
      case undefined:
        return { form: 'object', version };
      default:
      // some other form, that is not known here
    }
  }
  return undefined;
}
