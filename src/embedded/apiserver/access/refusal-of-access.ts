import type { IncomingMessage } from 'node:http';
import { splitTarget } from '../../../kube/text/split-target.ts';
import type { ApiUser } from '../store/api-kind.ts';
import { storedIn, type ObjectStore } from '../store/object-store.ts';
import { Refusal } from '../store/refusal.ts';
import { parseResourcePath } from '../http/request-path.ts';
import { accessRefused, requestedAccess } from './asked-access.ts';
import { impersonated } from './impersonate.ts';
import { reasonToAccess } from './may-access.ts';

/** Returns the user that a request acts as, who may be impersonated; or the refusal. */
export function allowedUser(
  store: ObjectStore,
  user: ApiUser,
  request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>,
): ApiUser | Refusal {
  try {
    const asked = impersonated(storedIn(store), user, request);
    return refusalOfAccess(store, asked, request) ?? asked;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

/** Returns the refusal of a request. `undefined` when it is allowed. */
function refusalOfAccess(
  store: ObjectStore,
  user: ApiUser,
  { method = 'GET', url = '/' }: Pick<IncomingMessage, 'method' | 'url'>,
): Refusal | undefined {
  const { path } = splitTarget(url);
  const asked = requestedAccess(method, path, parseResourcePath(url));
  if (reasonToAccess(storedIn(store), user, asked) !== undefined) return undefined;
  return accessRefused(user.username, asked);
}
