/** Returns the metrics of a Prometheus text whose names match, each with all of its lines. */
export function pickFamilies(text: string, wanted: (name: string) => boolean): string {
  let picked = '';
  let isWanted = false;
  let from = 0;
  while (from < text.length) {
    const newline = text.indexOf('\n', from);
    const end = newline < 0 ? text.length : newline + 1;
    // A metric begins with its HELP line, or with its TYPE line when it has no help.
    const head = /^# (?:HELP|TYPE) (\S+)/.exec(text.slice(from, Math.min(end, from + 200)));
    if (head !== null) isWanted = wanted(head[1] ?? '');
    if (isWanted) picked += text.slice(from, end);
    from = end;
  }
  return picked;
}
