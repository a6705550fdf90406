import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type Plugin } from 'rolldown';
import { readLockFile } from './src/cli/publish/lock-file.ts';
import { sbomOf } from './src/cli/publish/sbom.ts';

/**
 * What `npm run build` ships: few files in place of a thousand, of which each thread loads those that its actors need. Threads and jobs
 * are started by URL, so each is an entry; what is imported when it is needed becomes a file of its own.
 */
export default defineConfig({
  input: {
    main: 'src/main.ts',
    thread: 'src/thread.ts',
    // By `programUrl`, beside all other files of `dist/`.
    ...Object.fromEntries(globSync('src/jobs/*.ts').map((file) => [file.slice('src/'.length, -'.ts'.length), file])),
  },
  platform: 'node',
  external: [
    // It starts its workers from a file of its own.
    'piscina',
    // Libraries ask for these where they are needed, which is never.
    '@grpc/proto-loader',
  ],
  plugins: [oneByteSources(), licences()],
  output: {
    dir: 'dist',
    cleanDir: true,
    // V8 keeps the text of what is loaded, once for each thread: comments weigh, names and lines are for stack traces and profiles.
    // Not even what can never run is taken out, which would write the escaped characters as they were.
    minify: false,
    comments: false,
    entryFileNames: '[name].js',
    chunkFileNames: ({ name, moduleIds }) => `${nameOf(name, moduleIds)}-[hash].js`,
  },
});

/** For stack traces: `actor` alone says little, nor do the `dist` and `src` of libraries. */
function nameOf(name: string, moduleIds: readonly string[]): string {
  const path = moduleIds.at(-1) ?? '';
  const [, library] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  if (library !== undefined) return library.replace('@', '').replace('/', '-');
  const [, folder, file] = /([^/]+)\/([^/]+)\.ts$/.exec(path) ?? [];
  return file === name ? `${folder}.${file}` : name;
}

/** V8 keeps two bytes for each character of a file in which one does not fit into one: so they are escaped. */
function oneByteSources(): Plugin {
  return {
    name: 'one-byte-sources',
    renderChunk: (code, { fileName }) => {
      if (/\\[^\0-\x7f]/u.test(code))
        throw new Error(`${fileName}: a backslash before a character that is to be escaped`);
      const code16 = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      // Unit by unit, since two escaped surrogates are one character in strings as well as in patterns.
      return { code: code.replace(/[^\0-\x7f]/g, code16), map: null };
    },
  };
}

/** The libraries in the bundle, with the notices that have to go with copies of them; and all that is shipped, for machines. */
function licences(): Plugin {
  return {
    name: 'licences',
    generateBundle(_, bundle) {
      const modules = Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
      const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
      const lock = readLockFile(join(import.meta.dirname, 'package-lock.json'));
      const paths = folders.map((folder) => folder.slice(folder.indexOf('/node_modules/') + 1));
      this.emitFile({ type: 'asset', fileName: 'sbom.cdx.json', source: sbomOf(lock, paths) });
      const source = [...new Set(folders)]
        .toSorted()
        .map(noticeOf)
        .join(`\n${'-'.repeat(80)}\n\n`);
      this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source });
    },
  };
}

function noticeOf(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    'name' | 'version',
    string
  > & {
    readonly license?: string;
  };
  const files = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|copyright|notice)/i.test(name));
  const texts = files.toSorted().map((name) => `\n${readFileSync(join(folder, name), 'utf8').trim()}\n`);
  return [`${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})\n`, ...texts].join('');
}
