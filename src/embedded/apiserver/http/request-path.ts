import { splitTarget } from '../../../kube/text/split-target.ts';

/** The parts of an API path. `/api/v1/namespaces/a/pods/b/status`: group '', v1, a, pods, b, status. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly resource: string;
  readonly name: string | undefined;
  /** The segment after the name; empty for the object itself. */
  readonly subresource: string;
  /** The rest after `proxy` and similar subresources. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

/** `undefined` for a path without a resource. */
export function parseResourcePath(pathAndQuery: string): ResourcePath | undefined {
  const { path, query } = splitTarget(pathAndQuery);
  const [root, ...steps] = path
    .split('/')
    .filter((step) => step !== '')
    .map(decodeStep);
  const [group, version] = root === 'api' ? ['', steps.shift()] : root === 'apis' ? [steps.shift(), steps.shift()] : [];
  if (group === undefined || version === undefined || steps.length === 0) return undefined;
  const isNamespaced = steps[0] === 'namespaces' && steps.length >= 3 && !namespaceSubresources.has(steps[2] ?? '');
  const namespace = isNamespaced ? steps[1] : undefined;
  const [resource = '', name, subresource = '', ...rest] = isNamespaced ? steps.slice(2) : steps;
  return {
    group,
    version,
    namespace,
    resource,
    name,
    subresource,
    rest: rest.join('/'),
    query: new URLSearchParams(query),
  };
}

/** Words that may follow a namespace instead of a resource. */
const namespaceSubresources = new Set(['status', 'finalize']);

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step; // a malformed escape: no object has this name
  }
}
