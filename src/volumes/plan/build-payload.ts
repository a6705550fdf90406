import { assertNever } from '../../kube/text/assert-never.ts';
import { own } from '../../kube/text/own.ts';
import type { ObjectData } from './object-data.ts';
import { payloadPathProblem, type Payload, type PayloadFile } from './payload.ts';
import type { FetchedSource, FilesPlan, FilesSource } from './volume-plan.ts';

export type BuiltPayload =
  { readonly ok: true; readonly payload: Payload } | { readonly ok: false; readonly message: string };

/** A token that others than its user can read would be no secret between the containers of a pod. */
const OWN_TOKEN_MODE = 0o600;

const encoder = new TextEncoder();

/**
 * Builds a volume's files from the fetched data. The problems of all sources are reported together, and then nothing is
 * written. If two sources have the same path, the later one wins.
 */
export function buildPayload(
  plan: FilesPlan,
  fetched: readonly FetchedSource[],
  { fsGroup }: { readonly fsGroup: number | undefined },
): BuiltPayload {
  const payload = new Map<string, PayloadFile>();
  const problems: string[] = [];
  for (const [index, source] of plan.sources.entries()) {
    const problem = addSource(payload, source, { plan, fetched: fetched[index], fsGroup });
    if (problem !== undefined) problems.push(problem);
  }
  for (const path of payload.keys()) {
    const problem = payloadPathProblem(path);
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length === 0) return { ok: true, payload };
  const distinct = [...new Set(problems)];
  return { ok: false, message: distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]` };
}

interface SourceContext {
  readonly plan: FilesPlan;
  readonly fetched: FetchedSource;
  readonly fsGroup: number | undefined;
}

function addSource(payload: Map<string, PayloadFile>, source: FilesSource, context: SourceContext): string | undefined {
  const { plan, fetched } = context;
  switch (source.type) {
    case 'object': {
      if (fetched?.type === 'missing' && source.optional) return undefined;
      if (fetched?.type !== 'object') return failureOf(fetched);
      return addObject(payload, source, { data: fetched.data, defaultMode: plan.defaultMode });
    }
    case 'text':
      payload.set(source.path, { bytes: encoder.encode(source.text), mode: source.mode ?? plan.defaultMode });
      return undefined;
    case 'token': {
      if (fetched?.type !== 'token') return failureOf(fetched);
      payload.set(source.path, { bytes: encoder.encode(fetched.token), ...ownFile(source, context) });
      return undefined;
    }
    case 'trust-bundle': {
      const isThere = fetched?.type === 'trust-bundle';
      if (!isThere && !(fetched?.type === 'missing' && source.optional)) return failureOf(fetched);
      payload.set(source.path, { bytes: encoder.encode(isThere ? fetched.pem : ''), mode: plan.defaultMode });
      return undefined;
    }
    case 'certificate': {
      if (fetched?.type !== 'certificate') return failureOf(fetched);
      const { key, chain } = fetched;
      const access = ownFile(source, context);
      const { bundlePath, keyPath, chainPath } = source;
      if (bundlePath !== undefined) payload.set(bundlePath, { bytes: encoder.encode(key + chain), ...access });
      if (keyPath !== undefined) payload.set(keyPath, { bytes: encoder.encode(key), ...access });
      if (chainPath !== undefined) payload.set(chainPath, { bytes: encoder.encode(chain), ...access });
      return undefined;
    }
    case 'refused':
      return source.message;
    default:
      return assertNever(source, 'source of files');
  }
}

/** Returns owner and mode of a file that holds a secret of the pod itself. */
function ownFile({ uid }: { readonly uid?: number }, { plan, fsGroup }: SourceContext): Omit<PayloadFile, 'bytes'> {
  const isOwn = uid !== undefined || fsGroup !== undefined;
  return { mode: isOwn ? OWN_TOKEN_MODE : plan.defaultMode, ...(uid === undefined ? {} : { uid }) };
}

const failureOf = (fetched: FetchedSource): string =>
  fetched?.type === 'missing' || fetched?.type === 'failed' ? fetched.message : 'the source has not been read';

function addObject(
  payload: Map<string, PayloadFile>,
  source: Extract<FilesSource, { type: 'object' }>,
  { data, defaultMode }: { readonly data: ObjectData; readonly defaultMode: number },
): string | undefined {
  const { kind } = source.ref;
  if (source.items === undefined) {
    for (const key of keysOf(data)) payload.set(key, { bytes: entryOf(data, kind, key) ?? NOTHING, mode: defaultMode });
    return undefined;
  }
  for (const { key, path, mode = defaultMode } of source.items) {
    const bytes = entryOf(data, kind, key);
    if (bytes !== undefined) payload.set(path, { bytes, mode });
    else if (!source.optional) {
      return kind === 'Secret'
        ? `references non-existent secret key: ${key}`
        : `configmap references non-existent config key: ${key}`;
    }
  }
  return undefined;
}

const NOTHING = new Uint8Array();

const keysOf = ({ data = {}, binaryData = {} }: ObjectData): readonly string[] => [
  ...Object.keys(data),
  ...Object.keys(binaryData),
];

function entryOf({ data, binaryData }: ObjectData, kind: 'ConfigMap' | 'Secret', key: string): Uint8Array | undefined {
  const text = own(data, key);
  if (text !== undefined) return kind === 'Secret' ? Buffer.from(text, 'base64') : encoder.encode(text);
  const base64 = own(binaryData, key);
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64');
}
