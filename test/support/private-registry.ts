import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { portOrFree } from '../../src/cli/dev/port-or-free.ts';
import { ImageServiceService, RemoveImageRequest } from '../../src/cri/gen/api.ts';
import { imageArchive, type ImageEntry } from './containerd/image-archive.ts';
import { containerdAvailability } from './containerd/containerd-availability.ts';
import { runProgram } from './containerd/run-program.ts';
import type { PrivateContainerd } from './containerd/start-containerd.ts';
import { waitUntil } from './containerd/wait-until.ts';

export const REGISTRY_LOGIN = { username: 'puller', password: 'opens-it' };
/** The same in the form that the registry keeps (bcrypt). */
const HTPASSWD = `puller:$2b$04$abcdefghijklmnopqrstuu9Jcb4DO4JsZtmqOuAFVOTFSvtgwZ/lq\n`;

const PROGRAM = ['/usr/local/bin', '/usr/bin']
  .map((dir) => join(dir, 'docker-registry'))
  .find((path) => existsSync(path));

/**
 * Returns `true`, with a printed message, if a suite that needs a real registry is skipped here. Never where it is
 * required.
 */
export function skipWithoutRegistry(suite: string): boolean {
  if (PROGRAM !== undefined || process.env['HIVELET_E2E'] === 'required') return false;
  process.stderr.write(
    `\nWARNING: NOT RUN: "${suite}" needs docker-registry, which .ci/install-packages (as root) brings.\n`,
  );
  return true;
}

/** A registry of one test, which shows nothing without a login. */
export class PrivateRegistry {
  /** The registry's host in image names. */
  readonly host: string;
  readonly #dir: string;
  readonly #child: ReturnType<typeof spawn>;

  private constructor(host: string, dir: string, child: ReturnType<typeof spawn>) {
    this.host = host;
    this.#dir = dir;
    this.#child = child;
  }

  static async start(): Promise<PrivateRegistry> {
    if (PROGRAM === undefined) throw new Error('there is no docker-registry on this machine');
    const dir = await mkdtemp(join(tmpdir(), 'hvr-'));
    const host = `127.0.0.1:${await portOrFree(0)}`;
    const config = {
      version: 0.1,
      log: { level: 'error', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(dir, 'data') } },
      http: { addr: host },
      auth: { htpasswd: { realm: 'test', path: join(dir, 'htpasswd') } },
    };
    await writeFile(join(dir, 'htpasswd'), HTPASSWD);
    await writeFile(join(dir, 'config.yml'), JSON.stringify(config));
    const child = spawn(PROGRAM, ['serve', join(dir, 'config.yml')], { stdio: 'ignore' });
    const registry = new PrivateRegistry(host, dir, child);
    const answers = (): Promise<boolean> =>
      fetch(`http://${host}/v2/`).then(
        ({ status }) => status === 401,
        () => false,
      );
    await waitUntil(answers, { what: 'the registry answers', withinMs: 10_000, everyMs: 20 });
    return registry;
  }

  /** Puts a small image with a shell there, by way of a runtime that then has it no more. Returns its digest. */
  async push(name: string, through: PrivateContainerd): Promise<string> {
    const { available, ...found } = containerdAvailability();
    if (!available || !('tools' in found)) throw new Error('containerd cannot run here');
    const { busybox, ctr } = found.tools;
    const image = `${this.host}/${name}`;
    const link = (path: string): ImageEntry => ({ path: `bin/${path}`, kind: 'symlink', target: 'busybox' });
    const entries: readonly ImageEntry[] = [
      { path: 'bin', kind: 'directory' },
      { path: 'bin/busybox', kind: 'file', content: await readFile(busybox), mode: 0o755 },
      link('sh'),
      link('sleep'),
      { path: 'name', kind: 'file', content: name },
    ];
    const archive = await imageArchive({ tags: [image], entries, config: { Cmd: ['sh'], Env: ['PATH=/bin'] } });
    await through.importImage({ tags: [image], archive });
    const { username, password } = REGISTRY_LOGIN;
    const to = ['--address', through.socketPath, '--namespace', 'k8s.io', 'images', 'push', '--plain-http'];
    await runProgram(ctr, [...to, '--user', `${username}:${password}`, image]);
    await through.cri.call(ImageServiceService.removeImage, RemoveImageRequest.create({ image: { image } }));
    return this.#digest(name);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) await ended;
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #digest(name: string): Promise<string> {
    const [repository = '', tag = ''] = name.split(':');
    const authorization = `Basic ${btoa(`${REGISTRY_LOGIN.username}:${REGISTRY_LOGIN.password}`)}`;
    const accept = 'application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.manifest.v1+json';
    const url = `http://${this.host}/v2/${repository}/manifests/${tag}`;
    const answer = await fetch(url, { method: 'HEAD', headers: { authorization, accept } });
    const digest = answer.headers.get('docker-content-digest');
    if (digest === null) throw new Error(`the registry does not have ${name}: ${answer.status}`);
    return digest;
  }
}
