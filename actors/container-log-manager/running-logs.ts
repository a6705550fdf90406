import { entryBytes, RawList } from '../../src/cri/raw-list.ts';
import { Container } from '../../src/cri/gen/api.ts';
import { podLogDirectory, containerLogPath } from '../../src/pod/pod-log-path.ts';

/** `Container.state`. */
const STATE_FIELD = 6;

/**
 * Where the logs of the running containers are, by container ID. The path is worked out from what kubelets write on containers,
 * so that the runtime need not be asked for each; what has not changed since the last list is not even decoded.
 */
export class RunningLogs {
  readonly #podLogsDir: string;
  readonly #list = new RawList(STATE_FIELD);
  readonly paths = new Map<string, string>();

  constructor(podLogsDir: string) {
    this.#podLogsDir = podLogsDir;
  }

  /** Takes in a list of running containers, as the runtime encoded it. Throws if that cannot be read. */
  listed(bytes: Uint8Array): void {
    const list = this.#list.compare(bytes);
    for (const id of list.vanished) this.paths.delete(id);
    for (const id of list.changed) {
      const entry = entryBytes(list, id);
      const path = entry === undefined ? undefined : logPathOf(this.#podLogsDir, Container.decode(entry));
      if (path !== undefined) this.paths.set(id, path);
    }
    this.#list.accept(list);
  }
}

function logPathOf(podLogsDir: string, { labels, annotations }: Container): string | undefined {
  const container = labels['io.kubernetes.container.name'];
  const [uid, name, namespace] = ['uid', 'name', 'namespace'].map((key) => labels[`io.kubernetes.pod.${key}`]);
  const count = Number(annotations['io.kubernetes.container.restartCount']);
  if (!container || !uid || !name || !namespace || !Number.isSafeInteger(count) || count < 0) return undefined;
  const directory = podLogDirectory({ namespace, name, uid });
  return directory.ok ? `${podLogsDir}/${directory.name}/${containerLogPath(container, count)}` : undefined;
}
