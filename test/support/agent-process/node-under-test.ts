import { AgentFolder } from './agent-folder.ts';
import { AgentProcess, type AgentOptions } from './agent-process.ts';
import { startRuntime, type RuntimeKind, type RuntimeUnderTest } from './runtime-under-test.ts';

/** A runtime and an agent on it, one process at a time. */
export class NodeUnderTest {
  readonly runtime: RuntimeUnderTest;
  readonly folder: AgentFolder;
  #agent: AgentProcess | undefined;

  constructor(runtime: RuntimeUnderTest, folder: AgentFolder) {
    this.runtime = runtime;
    this.folder = folder;
  }

  /** A runtime, and no agent yet. `dir`: where a real runtime keeps its files. */
  static async prepare(kind: RuntimeKind, script?: unknown, dir?: string): Promise<NodeUnderTest> {
    return new NodeUnderTest(await startRuntime(kind, script, dir), await AgentFolder.make());
  }

  static async start(kind: RuntimeKind, options: Partial<AgentOptions> = {}): Promise<NodeUnderTest> {
    const node = await NodeUnderTest.prepare(kind);
    try {
      await node.startAgent(options);
      return node;
    } catch (error) {
      await node.stop();
      throw error;
    }
  }

  /** The agent that runs now, or ran last. */
  get agent(): AgentProcess {
    if (this.#agent === undefined) throw new Error('no agent was started');
    return this.#agent;
  }

  get admin(): AgentProcess['admin'] {
    return this.agent.admin;
  }

  spawnAgent(options: Partial<AgentOptions> = {}): AgentProcess {
    const { folder, runtime } = this;
    this.#agent = AgentProcess.spawn({ folder, endpoint: runtime.endpoint, ...options });
    return this.#agent;
  }

  async startAgent(options: Partial<AgentOptions> = {}): Promise<AgentProcess> {
    const agent = this.spawnAgent(options);
    await agent.ready();
    return agent;
  }

  /** The agent, the runtime with all its pods, and every file of both. */
  async stop(): Promise<void> {
    if (this.#agent !== undefined && !this.#agent.hasEnded()) await this.#agent.kill();
    await this.runtime.stop();
    await this.folder.discard();
  }
}
