import { provocations, type Provocation } from '../../actor/threads/thread-control.ts';

/** A request on the admin socket. */
export type AdminRequest =
  | { readonly type: 'agent' }
  | { readonly type: 'pods' }
  | { readonly type: 'threads' }
  | { readonly type: 'metrics' }
  | { readonly type: 'runtime' }
  | { readonly type: 'trace'; readonly namespace: string; readonly name: string }
  | { readonly type: 'faults' }
  /** The plan itself is the body of the request. */
  | { readonly type: 'apply-faults' }
  | { readonly type: 'clear-faults'; readonly id: number | undefined }
  | { readonly type: 'crash-actor'; readonly address: string }
  | { readonly type: 'provoke-thread'; readonly thread: string; readonly how: Provocation };

export const isProvocation = (text: string): text is Provocation => provocations.some((how) => how === text);

const questions = ['agent', 'pods', 'threads', 'metrics', 'runtime', 'faults'] as const;

/** `true` if the request makes something fail, or may. Such requests need permission. */
export const isFaultRequest = ({ type }: AdminRequest): boolean =>
  ['faults', 'apply-faults', 'clear-faults', 'crash-actor', 'provoke-thread'].includes(type);

/** Returns the method and path of a request: GET for questions, POST for changes. */
export function adminTarget(request: AdminRequest): { readonly method: 'GET' | 'POST'; readonly path: string } {
  switch (request.type) {
    case 'crash-actor':
      return { method: 'POST', path: `/debug/crash?actor=${encodeURIComponent(request.address)}` };
    case 'provoke-thread': {
      const query = `thread=${encodeURIComponent(request.thread)}&how=${request.how}`;
      return { method: 'POST', path: `/debug/thread?${query}` };
    }
    case 'trace': {
      const query = `namespace=${encodeURIComponent(request.namespace)}&name=${encodeURIComponent(request.name)}`;
      return { method: 'GET', path: `/trace?${query}` };
    }
    case 'apply-faults':
      return { method: 'POST', path: '/faults/apply' };
    case 'clear-faults':
      return { method: 'POST', path: request.id === undefined ? '/faults/clear' : `/faults/clear?plan=${request.id}` };
    case 'agent':
    case 'pods':
    case 'threads':
    case 'metrics':
    case 'runtime':
    case 'faults':
      return { method: 'GET', path: `/${request.type}` };
    default:
      return request satisfies never;
  }
}

/** Returns the request for a path. `undefined` for an unknown path. The reverse of {@link adminTarget}. */
export function readAdminTarget(method: string, target: string): AdminRequest | undefined {
  const { pathname, searchParams } = new URL(target, 'http://hivelet');
  const given = (name: string): string => searchParams.get(name) ?? '';
  if (method === 'GET') {
    const [namespace, name] = [given('namespace'), given('name')];
    if (pathname === '/trace') return namespace && name ? { type: 'trace', namespace, name } : undefined;
    const type = questions.find((question) => pathname === `/${question}`);
    return type && { type };
  }
  return method === 'POST' ? readChange(pathname, given) : undefined;
}

function readChange(pathname: string, given: (name: string) => string): AdminRequest | undefined {
  const [address, thread, how, plan] = ['actor', 'thread', 'how', 'plan'].map(given);
  switch (pathname) {
    case '/faults/apply':
      return { type: 'apply-faults' };
    case '/faults/clear':
      if (!plan) return { type: 'clear-faults', id: undefined };
      return /^[1-9]\d{0,8}$/.test(plan) ? { type: 'clear-faults', id: Number(plan) } : undefined;
    case '/debug/crash':
      return address ? { type: 'crash-actor', address } : undefined;
    case '/debug/thread':
      return thread && how && isProvocation(how) ? { type: 'provoke-thread', thread, how } : undefined;
    default:
      return undefined;
  }
}
