/** The rules for names in the API. Each returns the problem, or `undefined` for a valid name. */

const LABEL = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED_PART = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const PORT_NAME = /^[a-z0-9](?:-?[a-z0-9])*$/;

/** RFC 1123 label: the name of a container, a volume, a namespace. */
export function whyNoDnsLabel(name: string): string | undefined {
  if (name.length > 63) return 'must have at most 63 characters';
  return LABEL.test(name)
    ? undefined
    : 'must be lower case letters, digits and "-", with a letter or digit at both ends';
}

/** RFC 1123 subdomain: the name of a pod and of most objects. */
export function whyNoDnsSubdomain(name: string): string | undefined {
  if (name.length > 253) return 'must have at most 253 characters';
  if (SUBDOMAIN.test(name)) return undefined;
  return 'must be lower case letters, digits, "-" and ".", with a letter or digit at both ends of each part';
}

/** The key of a label or annotation: `[<domain>/]<name>`. */
export function whyNoQualifiedName(key: string): string | undefined {
  const slash = key.lastIndexOf('/');
  const name = key.slice(slash + 1);
  const domain = slash < 0 ? undefined : key.slice(0, slash);
  if (domain !== undefined) {
    const wrong = domain === '' ? 'must not be empty' : whyNoDnsSubdomain(domain);
    if (wrong !== undefined) return `the part before "/" ${wrong}`;
  }
  if (name.length > 63) return 'the name must have at most 63 characters';
  return QUALIFIED_PART.test(name)
    ? undefined
    : 'must be letters, digits, "-", "_" and ".", with a letter or digit at both ends';
}

export function whyNoLabelValue(value: string): string | undefined {
  if (value === '') return undefined;
  if (value.length > 63) return 'must have at most 63 characters';
  return QUALIFIED_PART.test(value)
    ? undefined
    : 'must be letters, digits, "-", "_" and ".", with a letter or digit at both ends';
}

/** RFC 6335 service name: the name of a port. */
export function whyNoPortName(name: string): string | undefined {
  if (name.length > 15) return 'must have at most 15 characters';
  return PORT_NAME.test(name) && /[a-z]/.test(name)
    ? undefined
    : 'must be lower case letters, digits and single "-" between them, with at least one letter';
}

/** Any printable name without `=` is accepted. Only names that would be ambiguous in the environment are refused. */
export const whyNoEnvName = (name: string): string | undefined =>
  /^[ -<>-~]+$/.test(name) ? undefined : 'must be printable ASCII characters without "="';

const UID = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Checks the permanent identifier of an object. Paths and cgroups are made of it, so it must be a plain word. */
export function whyNoUid(uid: string): string | undefined {
  if (uid.length > 128) return 'must have at most 128 characters';
  return UID.test(uid) ? undefined : 'must be letters, digits, "-", "_" and ".", with a letter or digit at both ends';
}
