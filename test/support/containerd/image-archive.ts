import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

/** One thing in an image's file system; paths have no leading slash. */
export type ImageEntry =
  | { readonly path: string; readonly kind: 'directory'; readonly mode?: number }
  | { readonly path: string; readonly kind: 'file'; readonly content: Buffer | string; readonly mode?: number }
  | { readonly path: string; readonly kind: 'symlink'; readonly target: string };

/** The part of an OCI image config that says how its containers run, under OCI's own names. */
export interface ImageRunConfig {
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly Env?: readonly string[];
  readonly User?: string;
  readonly WorkingDir?: string;
  readonly StopSignal?: string;
  readonly Volumes?: Readonly<Record<string, object>>;
}

export interface ImageDescription {
  /** Full names with tag, as the runtime will list them: `docker.io/library/busybox:1.36`. */
  readonly tags: readonly string[];
  readonly entries: readonly ImageEntry[];
  readonly config: ImageRunConfig;
}

// A fixed instant makes the same description give the same image id in every run.
const TIMESTAMP = new Date(0);

/** Builds a one-layer image as a `docker save` archive, which every runtime's import command understands. */
export async function imageArchive({ tags, entries, config }: ImageDescription): Promise<Buffer> {
  const layer = await layerTar(entries);
  const digest = sha256(layer);
  const image = JSON.stringify({
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    created: TIMESTAMP.toISOString(),
    config,
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
  });
  const configName = `${sha256(image)}.json`;
  const layerName = `${digest}/layer.tar`;
  const manifest = JSON.stringify([{ Config: configName, RepoTags: tags, Layers: [layerName] }]);
  return layerTar([
    { path: configName, kind: 'file', content: image },
    { path: layerName, kind: 'file', content: layer },
    { path: 'manifest.json', kind: 'file', content: manifest },
  ]);
}

async function layerTar(entries: readonly ImageEntry[]): Promise<Buffer> {
  const tar = pack();
  for (const entry of entries) {
    const header = { name: entry.path, mtime: TIMESTAMP, uid: 0, gid: 0 };
    if (entry.kind === 'directory') tar.entry({ ...header, type: 'directory', mode: entry.mode ?? 0o755 });
    else if (entry.kind === 'symlink') tar.entry({ ...header, type: 'symlink', linkname: entry.target, mode: 0o777 });
    else tar.entry({ ...header, type: 'file', mode: entry.mode ?? 0o644 }, Buffer.from(entry.content));
  }
  tar.finalize();
  return buffer(tar);
}

function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
