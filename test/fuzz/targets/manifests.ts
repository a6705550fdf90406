import * as fc from 'fast-check';
import { parseManifestFrom, type ParsedManifest } from '../../../src/jobs/parse-manifest.ts';
import { parsePodList, type ParsedPodList } from '../../../src/jobs/parse-pod-list.ts';
import { nodeBench } from '../node/node-bench.ts';
import { type FuzzedNode, NODE } from '../node/fuzzed-node.ts';
import { judged, READING_MS } from '../oracle.ts';
import { manifestBases } from '../pod-bases.ts';
import type { Target } from '../target.ts';
import { bytesOf, writtenFiles, type Written } from '../written.ts';
import { mayTakeLong } from './api-pods.ts';

interface ManifestCase {
  readonly file: Written;
  /** The manifest is read as a file, as the answer of a URL, or from the folder of a whole node. */
  readonly through: 'file' | 'url' | 'folder';
}

const LIVES_MS = 2_500;

export const manifests: Target<ManifestCase> = {
  name: 'manifests',
  allowedMs: READING_MS,
  cases: fc.record({
    file: writtenFiles(manifestBases),
    through: fc.oneof(
      { weight: 8, arbitrary: fc.constant('file' as const) },
      { weight: 2, arbitrary: fc.constant('url' as const) },
      { weight: 1, arbitrary: fc.constant('folder' as const) },
    ),
  }),
  async open() {
    const folder = await nodeBench(feed);
    return {
      run(given) {
        if (given.through === 'folder') return folder.run(given);
        const bytes = bytesOf(manifestBases, given.file);
        return given.through === 'file'
          ? judged('parseManifest', () => parse(bytes), outcomeOf)
          : judged('parsePodList', () => parseUrl(bytes), outcomeOf);
      },
      close: () => folder.close(),
    };
  },
};

const parse = (bytes: Uint8Array): Promise<ParsedManifest> => {
  const files = { sizeOf: () => Promise.resolve(bytes.byteLength), read: () => Promise.resolve(bytes) };
  return parseManifestFrom(files, { path: '/etc/pods/a.yaml', nodeName: NODE });
};

const parseUrl = (bytes: Uint8Array): ParsedPodList =>
  parsePodList({ url: 'http://pods.example/', nodeName: NODE, body: new TextDecoder().decode(bytes) });

function outcomeOf(answer: unknown): string {
  const parsed = answer as ParsedManifest | ParsedPodList;
  if (parsed.ok) return 'a pod';
  const paths = 'problems' in parsed ? parsed.problems.map(({ path }) => path ?? '').join(' ') : parsed.problem;
  return paths.slice(0, 100);
}

async function feed(node: FuzzedNode, { file }: ManifestCase): Promise<string> {
  const bytes = bytesOf(manifestBases, file);
  node.writeManifest('hostile', bytes);
  await node.pass(LIVES_MS);
  const outcome =
    node
      .leftovers()
      .map((each) => each.split(' ')[0])
      .join(' ') || 'not on the node';
  node.removeManifest('hostile');
  if (mayTakeLong(new TextDecoder().decode(bytes))) await node.pass(60_000);
  else await node.comeToRest();
  return outcome;
}
