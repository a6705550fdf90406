import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { LogLine } from './log-line.ts';
import { removeCgroups } from './remove-cgroups.ts';

/** The folder with all files of one agent under test. It outlives the agent's processes. */
export class AgentFolder {
  readonly dir: string;
  readonly rootDir: string;
  readonly manifests: string;
  readonly podLogs: string;
  /** ConfigMaps and Secrets, for an agent that is configured to read them. */
  readonly objects: string;
  readonly configFile: string;
  /** The output of all processes of the agent, one after the other. */
  readonly logFile: string;
  /**
   * Parent of the pods' cgroups. Agents that share a parent remove each other's empty cgroups, and set each other's
   * limits.
   */
  readonly cgroupRoot: string;

  private constructor(dir: string) {
    this.dir = dir;
    this.rootDir = join(dir, 'root');
    this.manifests = join(dir, 'manifests');
    this.podLogs = join(dir, 'pod-logs');
    this.objects = join(dir, 'objects');
    this.configFile = join(dir, 'kubelet.yaml');
    this.logFile = join(dir, 'agent.log');
    this.cgroupRoot = `/${basename(dir)}`;
  }

  static async make(): Promise<AgentFolder> {
    // Short: the admin socket's path has 107 bytes.
    const folder = new AgentFolder(await mkdtemp(join(tmpdir(), 'hva-')));
    await Promise.all([folder.rootDir, folder.manifests, folder.objects].map((dir) => mkdir(dir)));
    await writeFile(folder.logFile, '');
    await folder.configure({});
    return folder;
  }

  /** Writes the configuration file: the given fields, and the folders of the pods' logs and cgroups. */
  async configure(fields: Readonly<Record<string, unknown>>): Promise<void> {
    const config = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      podLogsDir: this.podLogs,
      // The machine of the tests may have either, and its kernel may end an agent under test as any other process.
      failCgroupV1: false,
      failSwapOn: false,
      oomScoreAdj: 0,
      // The firewall of the machine is not for tests to change.
      makeIPTablesUtilChains: false,
      cgroupRoot: this.cgroupRoot,
      // The tests stress the agent on purpose; a missed change must not cost twenty seconds.
      fileCheckFrequency: '1s',
      ...fields,
    };
    await writeFile(this.configFile, JSON.stringify(config));
  }

  /** Puts a manifest there at once and whole, as a careful operator does. */
  async put(file: string, manifest: unknown, folder = this.manifests): Promise<void> {
    const hidden = join(folder, `.${file}.new`);
    await writeFile(hidden, typeof manifest === 'string' ? manifest : JSON.stringify(manifest));
    await rename(hidden, join(folder, file));
  }

  async remove(file: string): Promise<void> {
    await rm(join(this.manifests, file));
  }

  async log(): Promise<readonly LogLine[]> {
    const lines = (await readFile(this.logFile, 'utf8')).split('\n').filter((line) => line.startsWith('{'));
    // Each line is written whole by the agent's own logger.
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  async discard(): Promise<void> {
    // An agent that was killed with its launcher may still be writing its last words.
    await removeCgroups(this.cgroupRoot);
    await rm(this.dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
