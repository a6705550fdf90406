import type { IncomingMessage } from 'node:http';
import type { ApiUser } from '../api-kind.ts';
import { storedIn, type ObjectStore } from '../object-store.ts';
import type { Refusal } from '../refusal.ts';
import { parseResourcePath } from '../request-path.ts';
import { accessRefused, askedAccess } from './asked-access.ts';
import { reasonToAccess } from './may-access.ts';

/** Why a request is not for this user to make; undefined: it is. */
export function refusalOfAccess(
  store: ObjectStore,
  user: ApiUser,
  { method = 'GET', url = '/' }: Pick<IncomingMessage, 'method' | 'url'>,
): Refusal | undefined {
  const [path = '/'] = url.split('?');
  const asked = askedAccess(method, path, parseResourcePath(url));
  if (reasonToAccess(storedIn(store), user, asked) !== undefined) return undefined;
  return accessRefused(user.username, asked);
}
