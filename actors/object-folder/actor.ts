import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { DecodedObject } from '../../src/kube/manifest/decode-objects.ts';
import type { WatchedFolder } from '../../src/host/watched-folder.ts';
import { objectKey } from '../../src/volumes/plan/object-data.ts';
import type {
  ConfigMapContent,
  ObjectAnswer,
  ObjectCacheQuestion,
  ObjectQuestion,
  SecretContent,
} from '../object-cache/protocol.ts';
import { VOLUME_MANAGER } from '../volume-manager/protocol.ts';
import type { ObjectFolderProtocol, ObjectFolderReport } from './protocol.ts';
import { emptyFolder, takeFiles } from './state.ts';
import { messageOf } from '../../src/kube/text/message-of.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

export interface ObjectFolderDeps {
  readonly folder: WatchedFolder;
  readonly pollEveryMs: number;
}

/** Several files are often written together, and one file in several steps. */
const SETTLE_MS = 50;

/** Reads ConfigMaps and Secrets from a folder, for a node without an API server. */
export class ObjectFolder implements Actor<ObjectFolderProtocol> {
  readonly #context: ActorContext<ObjectFolderProtocol>;
  readonly #reading: Duty;
  readonly #deps: ObjectFolderDeps;
  #state = emptyFolder;
  #isReading = false;
  #isReadDue = false;
  #cancelTimer: () => void = () => {};
  #endWatch: () => void = () => {};
  #problem = '';

  constructor(context: ActorContext<ObjectFolderProtocol>, deps: ObjectFolderDeps) {
    this.#context = context;
    this.#reading = dutyOf(context, {
      work: 'read the folder of objects',
      follows: 'the objects read before stay in use',
    });
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#endWatch = this.#deps.folder.watch(() => {
      if (this.#context.alive()) this.#readIn(SETTLE_MS);
      else this.#endWatch();
    });
    // Before the first read, every object would appear missing.
    this.tell(await this.#read());
  }

  stop(): void {
    this.#endWatch();
  }

  tell(command: ObjectFolderProtocol['command']): void {
    const { log, self } = this.#context;
    switch (command.type) {
      case 'read-due':
        if (this.#isReading) this.#isReadDue = true;
        else {
          this.#isReading = true;
          this.#context.supervise(this.#read().then((seen) => self.tell(seen)));
        }
        return;
      case 'read-failed':
        this.#reading.failed(command.problem);
        this.#problem = command.problem;
        return this.#readEnded();
      case 'folder-read': {
        const { next, changed, problems } = takeFiles(this.#state, command);
        this.#state = next;
        this.#problem = '';
        this.#reading.worked();
        for (const problem of problems)
          log.warn({}, `ignoring a file of objects: ${problem}; objects read from the file before stay`);
        if (changed.length > 0) {
          this.#context.ref(VOLUME_MANAGER).tell({ type: 'objects-changed', keys: changed });
        }
        return this.#readEnded();
      }
      default:
        return assertNever(command, 'object folder command');
    }
  }

  ask(question: ObjectCacheQuestion): ObjectAnswer<unknown> {
    switch (question.type) {
      case 'config-map': {
        const found = this.#find('ConfigMap', question);
        if (found.type !== 'found') return found;
        const { version: resourceVersion, data, binaryData } = found.value;
        return { type: 'found', value: { resourceVersion, data, binaryData } satisfies ConfigMapContent };
      }
      case 'secret': {
        const found = this.#find('Secret', question);
        if (found.type !== 'found') return found;
        const { version: resourceVersion, data, secretType } = found.value;
        return { type: 'found', value: { resourceVersion, uid: '', type: secretType, data } satisfies SecretContent };
      }
      case 'services-of-namespace':
        return { type: 'found', value: [] };
      case 'runtime-class':
        return { type: 'missing' };
      case 'service-account-token':
        return { type: 'unavailable', message: 'this node runs without an API server' };
      default:
        return assertNever(question, 'question about an object');
    }
  }

  #find(kind: 'ConfigMap' | 'Secret', { namespace, name }: ObjectQuestion): ObjectAnswer<DecodedObject> {
    const value = this.#state.objects.get(objectKey({ kind, namespace, name }));
    if (value !== undefined) return { type: 'found', value };
    return this.#problem === '' ? { type: 'missing' } : { type: 'unavailable', message: this.#problem };
  }

  #readEnded(): void {
    this.#isReading = false;
    const isDue = this.#isReadDue;
    this.#isReadDue = false;
    this.#readIn(isDue ? SETTLE_MS : this.#deps.pollEveryMs);
  }

  #readIn(delayMs: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#context.clock.after(delayMs, () => this.#context.self.tell({ type: 'read-due' }));
  }

  async #read(): Promise<ObjectFolderReport> {
    const { folder } = this.#deps;
    // A folder on a dead network disk never answers.
    const attempt = this.#reading.attempt('the list of its files');
    try {
      const files = new Map<string, { signature: string; text?: string }>();
      for (const [name, signature] of await folder.list()) {
        const isSame = this.#state.files.get(name)?.signature === signature;
        const text = isSame ? undefined : await folder.read(name).catch(() => undefined);
        files.set(name, { signature, ...(text === undefined ? {} : { text }) });
      }
      attempt.dropped();
      return { type: 'folder-read', files };
    } catch (error) {
      const problem = messageOf(error);
      // A hang that ends with a problem stays one trouble.
      attempt.failed(problem);
      return { type: 'read-failed', problem };
    }
  }
}
