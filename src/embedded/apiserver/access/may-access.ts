import type { ApiUser } from '../store/api-kind.ts';
import { type RequestedAccess, reasonToAllow } from './judge-access.ts';
import { reasonToAllowNode, type StoredObjects } from './node-access.ts';
import { policyFrom } from './stored-policy.ts';

/** Returns why the user may do it: by node authorization, or by a role. `undefined` when it is forbidden. */
export const reasonToAccess = (objects: StoredObjects, user: ApiUser, asked: RequestedAccess): string | undefined =>
  reasonToAllowNode(objects, user, asked) ?? reasonToAllow(policyFrom(objects), user, asked);
