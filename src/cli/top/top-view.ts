import { own } from '../../kube/text/own.ts';

/** The visible tables and their order. */
export interface TopView {
  readonly show: (typeof topTables)[number];
  readonly sort: (typeof topSorts)[number];
}

/** `all`: the threads and the kinds of actors. */
export const topTables = ['all', 'threads', 'actors', 'pods'] as const;
export const topSorts = ['name', 'cpu', 'memory', 'mailbox', 'restarts'] as const;

export const firstView: TopView = { show: 'all', sort: 'name' };

export const keysLine =
  'q quit   1 all  2 threads  3 actors  4 pods   sort: n name  c cpu  m memory  b mailbox  r restarts';

const sorts: Readonly<Record<string, TopView['sort']>> = {
  n: 'name',
  c: 'cpu',
  m: 'memory',
  b: 'mailbox',
  r: 'restarts',
};

/** Returns the view after a key. An unknown key changes nothing. */
export function afterKey(view: TopView, key: string): TopView | 'quit' {
  // In raw mode Ctrl-C is a key like any other.
  if (key === 'q' || key === '\u0003') return 'quit';
  const show = /^[1-4]$/.test(key) ? topTables[Number(key) - 1] : undefined;
  if (show !== undefined) return { ...view, show };
  if (key === '\t') {
    const next = topTables[(topTables.indexOf(view.show) + 1) % topTables.length] ?? view.show;
    return { ...view, show: next };
  }
  const sort = own(sorts, key);
  return sort === undefined ? view : { ...view, sort };
}
