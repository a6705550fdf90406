/**
 * Runs a benchmark by its name: `npm run -s bench -- density --pods 1000`. bench/README.md names the question of each.
 */
const benchmarks = [
  'density',
  'actors',
  'restarts',
  'recovery',
  'overload',
  'relist',
  'fault-seam',
  'probes',
  'reflector',
  'encodings',
  'volumes',
  'stats',
  'log-followers',
  'exits',
  'bad-neighbours',
] as const;

const [name, ...args] = process.argv.slice(2);
const known = benchmarks.find((benchmark) => benchmark === name);

if (known === undefined) {
  process.stderr.write(`usage: npm run -s bench -- ${benchmarks.join('|')} [options]; bench/README.md says more\n`);
  process.exitCode = 1;
} else {
  const script = new URL(`.//${known}.ts`, import.meta.url);
  // Each benchmark reads its options as if it was started directly.
  process.argv = [process.execPath, script.pathname, ...args];
  await import(script.href);
}
