import type { IncomingMessage } from 'node:http';
import type { ApiUser } from '../store/api-kind.ts';
import { badRequest } from '../store/refusal.ts';
import { accessRefused } from './asked-access.ts';
import type { RequestedAccess } from './judge-access.ts';
import { reasonToAccess } from './may-access.ts';
import type { StoredObjects } from './node-access.ts';

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/**
 * Returns the impersonated user of a request (`Impersonate-User`, as `kubectl --as` sends). The real user must be
 * allowed to `impersonate` that user, each group, the UID and each of the extra values. Throws a `Refusal`.
 */
export function impersonated(
  objects: StoredObjects,
  user: ApiUser,
  { rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>,
): ApiUser {
  const headers = impersonation(rawHeaders);
  if (headers.length === 0) return user;
  const valuesOf = (name: string): readonly string[] =>
    headers.flatMap(([each, value]) => (each === name ? [value] : []));
  const [username] = valuesOf('user');
  if (username === undefined) throw badRequest('impersonation needs a user name');
  const account = ACCOUNT.exec(username);
  const groups = valuesOf('group');
  const [uid] = valuesOf('uid');
  const extra = headers.flatMap(([name, value]) =>
    name.startsWith('extra-') ? [[decodeURIComponent(name.slice('extra-'.length)), value] as const] : [],
  );
  const asked = [
    account === null
      ? about('', 'users', username)
      : { ...about('', 'serviceaccounts', account[2] ?? ''), namespace: account[1] ?? '' },
    ...groups.map((group) => about('', 'groups', group)),
    ...(uid === undefined ? [] : [about(AUTHENTICATION, 'uids', uid)]),
    ...extra.map(([key, value]) => ({ ...about(AUTHENTICATION, 'userextras', value), subresource: key })),
  ];
  for (const each of asked)
    if (reasonToAccess(objects, user, each) === undefined) throw accessRefused(user.username, each);
  const own = account === null ? [] : ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  const named = groups.length === 0 ? own : groups;
  const known = username === 'system:anonymous' ? 'system:unauthenticated' : 'system:authenticated';
  return {
    username,
    groups: [...new Set([...named, known])],
    ...(uid !== undefined && { uid }),
    ...(extra.length > 0 && { extra: valuesByKey(extra) }),
  };
}

const AUTHENTICATION = 'authentication.k8s.io';
const PREFIX = 'impersonate-';

const about = (group: string, resource: string, name: string): Extract<RequestedAccess, { type: 'resource' }> => ({
  type: 'resource',
  verb: 'impersonate',
  group,
  resource,
  subresource: '',
  namespace: '',
  name,
});

/** A header with more than one value is repeated. */
function impersonation(rawHeaders: readonly string[]): readonly (readonly [name: string, value: string])[] {
  return rawHeaders.flatMap((name, index) => {
    const lower = name.toLowerCase();
    const isName = index % 2 === 0 && lower.startsWith(PREFIX);
    return isName ? [[lower.slice(PREFIX.length), rawHeaders[index + 1] ?? ''] as const] : [];
  });
}

const valuesByKey = (pairs: readonly (readonly [string, string])[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...Map.groupBy(pairs, ([key]) => key)].map(([key, same]) => [key, same.map(([, value]) => value)]),
  );
