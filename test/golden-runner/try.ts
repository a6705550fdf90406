import { readdirSync } from 'node:fs';
import { isCriCase, readCriCase } from '/tmp/w/golden/test/golden-runner/cri-case.ts';
import { playCriCase } from '/tmp/w/golden/test/golden-runner/play-cri-case.ts';
import { differencesOf } from '/tmp/w/golden/test/golden-runner/judge-cri-case.ts';
const dir = process.argv[2]!; const only = process.argv[3];
let bad = 0;
for (const name of readdirSync(dir)) {
  if (only && !name.startsWith(only)) continue;
  const folder = `${dir}/${name}`;
  if (!isCriCase(folder)) continue;
  const c = readCriCase(folder);
  const p = await playCriCase(c, { keepTrace: Number(process.argv[4] ?? 0) });
  for (const l of p.trace) console.log(l);
  const d = differencesOf(c, p);
  if (d.length) { bad++; console.log('FAIL', name); for (const x of d) console.log('  ', x.where, '\n     exp', JSON.stringify(x.expected)?.slice(0, 300), '\n     see', JSON.stringify(x.seen)?.slice(0, 300)); }
}
console.log(bad, 'bad');
