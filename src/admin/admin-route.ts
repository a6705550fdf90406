import type { Provocation } from '../actor/thread-control.ts';

/** What a request on the admin socket asks for. */
export type AdminRequest =
  | { readonly type: 'agent' }
  | { readonly type: 'pods' }
  | { readonly type: 'threads' }
  | { readonly type: 'metrics' }
  | { readonly type: 'runtime' }
  | { readonly type: 'crash-actor'; readonly address: string }
  | { readonly type: 'provoke-thread'; readonly thread: string; readonly how: Provocation };

export const provocations: readonly Provocation[] = ['exit', 'throw', 'hang'];

export const isProvocation = (text: string): text is Provocation => provocations.some((how) => how === text);

const questions = ['agent', 'pods', 'threads', 'metrics', 'runtime'] as const;

/** The path with which a client asks; GET for questions, POST for what changes something. */
export function adminTarget(request: AdminRequest): { readonly method: 'GET' | 'POST'; readonly path: string } {
  switch (request.type) {
    case 'crash-actor':
      return { method: 'POST', path: `/debug/crash?actor=${encodeURIComponent(request.address)}` };
    case 'provoke-thread': {
      const query = `thread=${encodeURIComponent(request.thread)}&how=${request.how}`;
      return { method: 'POST', path: `/debug/thread?${query}` };
    }
    case 'agent':
    case 'pods':
    case 'threads':
    case 'metrics':
    case 'runtime':
      return { method: 'GET', path: `/${request.type}` };
    default:
      return request satisfies never;
  }
}

/** What the path asks for; `undefined` when it is none of ours. The other direction of {@link adminTarget}. */
export function readAdminTarget(method: string, target: string): AdminRequest | undefined {
  const { pathname, searchParams } = new URL(target, 'http://hivelet');
  if (method === 'GET') {
    const type = questions.find((question) => pathname === `/${question}`);
    return type && { type };
  }
  if (method !== 'POST') return undefined;
  const [address, thread, how] = ['actor', 'thread', 'how'].map((name) => searchParams.get(name) ?? '');
  if (pathname === '/debug/crash' && address) return { type: 'crash-actor', address };
  if (pathname === '/debug/thread' && thread && how && isProvocation(how))
    return { type: 'provoke-thread', thread, how };
  return undefined;
}
