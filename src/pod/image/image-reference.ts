import { own } from '../../kube/text/own.ts';

/**
 * An image name by the grammar of the OCI distribution project: `[domain/]path[:tag][@digest]`. Errors have the wording
 * that users of other container tools know.
 */
export type ImageReference =
  /** `image` is the name as written; `:latest` is appended when the name has neither tag nor digest. */
  { readonly ok: true; readonly image: string } | { readonly ok: false; readonly message: string };

export function parseImageReference(image: string): ImageReference {
  const fault = whyInvalid(image);
  if (fault !== undefined) return { ok: false, message: `couldn't parse image name "${image}": ${fault}` };
  // A short name stays short: the runtime decides which registry it refers to.
  return { ok: true, image: isTagged(image) || image.includes('@') ? image : `${image}:latest` };
}

/** Returns `docker.io/library/app` for `app:1`: the name without tag and digest, with its registry. */
export function repositoryOf(image: string): string {
  const [domain, remainder] = splitDomain(image);
  return `${domain}/${cutAtLast(remainder.split('@', 1)[0] ?? '')[0]}`;
}

/** Returns the name as runtimes list it: with its registry, and with tag or digest unchanged. */
export function fullName(image: string): string {
  const [domain, remainder] = splitDomain(image);
  return `${domain}/${remainder}`;
}

const DOMAIN_PART = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/;
const IPV6_DOMAIN = /^\[[a-fA-F0-9:]+\](?::[0-9]+)?$/;
const PATH_PART = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const MAX_NAME_LENGTH = 255;
const DIGEST_LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };
const INVALID = 'invalid reference format';

function whyInvalid(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) {
    return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  }
  const [domain, remainder] = splitDomain(image);
  const [repository, tag] = cutAtLast(remainder.split('@', 1)[0] ?? '');
  const named = remainder.split(':', 1)[0] ?? '';
  if (named.toLowerCase() !== named) return `${INVALID}: repository name (${named}) must be lowercase`;
  if (!isDomainName(domain) || !repository.split('/').every((part) => PATH_PART.test(part))) return INVALID;
  if (tag !== undefined && !TAG.test(tag)) return INVALID;
  if (`${domain}/${repository}`.length > MAX_NAME_LENGTH) {
    return `repository name must not be more than ${MAX_NAME_LENGTH} characters`;
  }
  return whyInvalidDigest(remainder);
}

function isDomainName(domain: string): boolean {
  if (domain.startsWith('[')) return IPV6_DOMAIN.test(domain);
  const [host = '', port, ...more] = domain.split(':');
  const hasPort = port === undefined || /^[0-9]+$/.test(port);
  return more.length === 0 && hasPort && host.split('.').every((part) => DOMAIN_PART.test(part));
}

function whyInvalidDigest(remainder: string): string | undefined {
  const at = remainder.indexOf('@');
  if (at < 0) return undefined;
  const digest = remainder.slice(at + 1);
  if (!DIGEST.test(digest)) return INVALID;
  const [algorithm = '', hex = ''] = digest.split(':');
  const length = own(DIGEST_LENGTHS, algorithm);
  if (length === undefined) return 'unsupported digest algorithm';
  if (hex.length !== length) return 'invalid checksum digest length';
  return /^[a-f0-9]+$/.test(hex) ? undefined : 'invalid checksum digest format';
}

/** The part before the first slash is a domain if it looks like one. Otherwise the name belongs to Docker Hub. */
function splitDomain(image: string): readonly [domain: string, remainder: string] {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  if (isDomain && first !== 'index.docker.io' && first !== 'docker.io') return [first, image.slice(slash + 1)];
  const hub = isDomain ? image.slice(slash + 1) : image;
  return ['docker.io', hub.includes('/') ? hub : `library/${hub}`];
}

/** Cuts the tag off: the part after the last colon, unless a slash follows. */
function cutAtLast(name: string): readonly [repository: string, tag?: string] {
  const colon = name.lastIndexOf(':');
  return colon < 0 || name.includes('/', colon) ? [name] : [name.slice(0, colon), name.slice(colon + 1)];
}

const isTagged = (image: string): boolean => cutAtLast(image.split('@', 1)[0] ?? '').length > 1;
