import type { ApiCall } from '../../src/api/api-client.ts';
import type { ApiFault, ApiOutcome, ApiRequest } from '../../src/api/api-request.ts';

type Json = Record<string, unknown>;

const refusal = (code: number, reason: string): ApiFault => ({ kind: 'refused', code, reason, message: reason });
export const notFound = refusal(404, 'NotFound');
export const conflict = refusal(409, 'Conflict');
export const forbidden = refusal(403, 'Forbidden');
export const unreachable: ApiFault = { kind: 'unreachable', message: 'connect ECONNREFUSED' };
export const tooMany: ApiFault = { ...refusal(429, 'TooManyRequests'), retryAfterMs: 3_000 } as ApiFault;

export interface FakeNodeApi {
  readonly objects: Map<string, Json>;
  readonly requests: ApiRequest[];
  /** Stands before each call. */
  fails: (request: ApiRequest) => ApiFault | undefined;
  readonly call: ApiCall;
  /** The requests since the last time, as `verb path`. */
  readonly take: () => readonly string[];
}

/** An API server for a node's own two objects. It records its requests. */
export function fakeNodeApi(): FakeNodeApi {
  const objects = new Map<string, Json>();
  const requests: ApiRequest[] = [];
  let version = 1;
  const api: FakeNodeApi = {
    objects,
    requests,
    fails: () => undefined,
    call: async (request) => {
      requests.push(structuredClone(request));
      const fault = api.fails(request);
      if (fault !== undefined) return { ok: false, fault };
      return perform(structuredClone(request));
    },
    take: () => requests.splice(0).map(({ verb, path }) => `${verb} ${path}`),
  };
  const stored = (path: string, object: Json): ApiOutcome<unknown> => {
    const metadata = { ...(object['metadata'] as Json), resourceVersion: String(version++) };
    objects.set(path, { ...object, metadata });
    return { ok: true, value: structuredClone(objects.get(path)) };
  };
  const refused = (fault: ApiFault): ApiOutcome<unknown> => ({ ok: false, fault });
  function perform({ verb, path, body = {} }: ApiRequest): ApiOutcome<unknown> {
    const at = path.replace(/\/status$/, '');
    const { metadata = {} } = body as { metadata?: Json };
    if (verb === 'create') {
      const place = `${at}/${String(metadata['name'])}`;
      if (objects.has(place)) return refused(refusal(409, 'AlreadyExists'));
      return stored(place, { ...body, metadata: { ...metadata, uid: `uid-${version}` } });
    }
    const existing = objects.get(at);
    if (existing === undefined) return refused(notFound);
    if (verb === 'get') return { ok: true, value: structuredClone(existing) };
    const before = existing['metadata'] as Json;
    if (metadata['uid'] !== undefined && metadata['uid'] !== before['uid']) return refused(conflict);
    if (verb === 'update') {
      return metadata['resourceVersion'] === before['resourceVersion'] ? stored(at, body as Json) : refused(conflict);
    }
    return stored(at, merged(existing, body) as Json);
  }
  return api;
}

/**
 * A strategic merge as far as a node's status needs it: lists of things with a type are merged by it, others replaced.
 */
function merged(before: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) {
    const items = patch as Json[];
    if (items.some((item) => '$patch' in Object(item))) return items.filter((item) => !('$patch' in item));
    const typed = Array.isArray(before) && items.every((item) => 'type' in Object(item));
    if (!typed) return items;
    const old = before as Json[];
    const kept = old.map((item) => merged(item, items.find(({ type }) => type === item['type']) ?? {}));
    return [...kept, ...items.filter(({ type }) => old.every((item) => item['type'] !== type))];
  }
  if (typeof patch !== 'object' || patch === null) return patch;
  const result: Json = { ...(typeof before === 'object' ? (before as Json) : {}) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
