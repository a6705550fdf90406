import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../src/package-root.ts';

/**
 * The measured program. `built`: `dist/`, which is what users install. `sources`: the checkout's own `.ts` files.
 */
export type ProgramKind = 'built' | 'sources';

/** Returns the script to start. Rebuilds `dist/` first when it is missing or older than a source file. */
export function programScript(kind: ProgramKind): string {
  const root = packageRoot();
  if (kind === 'sources') return join(root, 'src/main.ts');
  const script = join(root, 'dist/main.js');
  if (!existsSync(script) || statSync(script).mtimeMs < newestSource(root)) build(root);
  return script;
}

const newestSource = (root: string): number =>
  Math.max(...globSync('{src,actors}/**/*.ts', { cwd: root }).map((file) => statSync(join(root, file)).mtimeMs));

function build(root: string): void {
  process.stderr.write('dist/ is not of these sources: npm run build\n');
  const { status, stdout } = spawnSync('npm', ['run', '-s', 'build'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm run build failed; --sources measures the sources as they are\n${stdout}`);
}
