/** The path and the query of a request target. The query begins behind the first `?`; later ones belong to it. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const at = target.indexOf('?');
  return at < 0 ? { path: target, query: '' } : { path: target.slice(0, at), query: target.slice(at + 1) };
}
