import type { Actor } from '../../src/actor/actor.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { ProcessControlProtocol, ProcessControlQuestion } from './protocol.ts';

/** The root supervisor's view of its threads, and its commands to them. */
export interface ProcessControlDeps {
  text(): Promise<string>;
  threadNames(): readonly string[];
  cpuProfile(thread: string, durationMs: number): Promise<string | undefined>;
  heapSnapshot(thread: string, path: string): Promise<boolean>;
  setVerbosity(verbosity: number): Promise<void>;
}

/** Offers other actors what only the root supervisor can do, since it reaches every thread. */
export class ProcessControl implements Actor<ProcessControlProtocol> {
  readonly #deps: ProcessControlDeps;

  constructor(deps: ProcessControlDeps) {
    this.#deps = deps;
  }

  tell(): void {}

  ask(question: ProcessControlQuestion): unknown {
    switch (question.type) {
      case 'metrics-text':
        return this.#deps.text();
      case 'thread-names':
        return this.#deps.threadNames();
      case 'cpu-profile':
        return this.#deps.cpuProfile(question.thread, question.durationMs);
      case 'heap-snapshot':
        return this.#deps.heapSnapshot(question.thread, question.path);
      case 'set-verbosity':
        return this.#deps.setVerbosity(question.verbosity);
      default:
        return assertNever(question, 'question to process control');
    }
  }
}
