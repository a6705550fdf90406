import type { ApiUser } from '../store/api-kind.ts';
import { type AccessAsked, reasonToAllow } from './judge-access.ts';
import { reasonToAllowNode, type StoredObjects } from './node-access.ts';
import { policyFrom } from './stored-policy.ts';

/** Why somebody may do it: because he is a node and needs it, or because a role allows it; undefined: he may not. */
export const reasonToAccess = (objects: StoredObjects, user: ApiUser, asked: AccessAsked): string | undefined =>
  reasonToAllowNode(objects, user, asked) ?? reasonToAllow(policyFrom(objects), user, asked);
