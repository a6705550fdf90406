import type * as Cri from '../../../cri/gen/api.ts';
import type { Clock } from '../../../actor/clock.ts';
import type { RuntimeCore } from '../runtime-core.ts';
import { RuntimeError } from '../runtime-error.ts';
import type { ContainerPlace } from './container-place.ts';
import { simulatedService } from './forwarded-ports.ts';
import { InteractiveProcess } from './interactive-process.ts';
import { attachTo, runInContainer } from './run-in-container.ts';
import type { StreamingServer, StreamPlan } from './streaming-server.ts';

/** The CRI calls that return the address of a stream. They throw a `RuntimeError`. */
export class StreamCalls {
  readonly #core: RuntimeCore;
  readonly #server: StreamingServer;
  readonly #clock: Clock;
  /** Processes of containers with an attached client, for as long as they run. */
  readonly #processes = new Map<string, InteractiveProcess>();

  constructor({ core, server, clock }: { core: RuntimeCore; server: StreamingServer; clock: Clock }) {
    this.#core = core;
    this.#server = server;
    this.#clock = clock;
  }

  exec({ containerId, cmd, tty, stdin, stdout, stderr }: Cri.ExecRequest): Cri.ExecResponse {
    assertWanted({ tty, stdin, stdout, stderr });
    this.#core.placeOf(containerId).release();
    const clock = this.#clock;
    return this.#prepare('exec', {
      type: 'command',
      wanted: { tty, stdin, stdout, stderr },
      serve: (channels) => this.#within(containerId, (place) => runInContainer(place, channels, { cmd, tty, clock })),
    });
  }

  attach({ containerId, tty, stdin, stdout, stderr }: Cri.AttachRequest): Cri.AttachResponse {
    assertWanted({ tty, stdin, stdout, stderr });
    this.#core.placeOf(containerId).release();
    return this.#prepare('attach', {
      type: 'command',
      wanted: { tty, stdin, stdout, stderr },
      serve: (channels) =>
        this.#within(containerId, (place) => this.#process(containerId)?.attach(channels) ?? attachTo(place, channels)),
    });
  }

  portForward({ podSandboxId }: Cri.PortForwardRequest): Cri.PortForwardResponse {
    const { who, ports } = this.#core.portsOf(podSandboxId);
    return this.#prepare('portforward', {
      type: 'ports',
      connect(port, connection) {
        if (!ports.has(port)) return `nothing listens on port ${port} in ${who}: connection refused`;
        simulatedService(connection, `${who}, port ${port}, in the embedded runtime`);
        return undefined;
      },
    });
  }

  #process(containerId: string): InteractiveProcess | undefined {
    const known = this.#processes.get(containerId);
    if (known !== undefined) return known;
    const place = this.#core.placeOf(containerId);
    if (place.main === undefined) {
      place.release();
      return undefined;
    }
    const process = new InteractiveProcess(place, place.main, this.#clock);
    this.#processes.set(containerId, process);
    void process.ended.then(() => this.#processes.delete(containerId));
    return process;
  }

  async #within<T>(containerId: string, use: (place: ContainerPlace) => Promise<T>): Promise<T> {
    const place = this.#core.placeOf(containerId);
    try {
      return await use(place);
    } finally {
      place.release();
    }
  }

  #prepare(path: 'exec' | 'attach' | 'portforward', plan: StreamPlan): { url: string } {
    const url = this.#server.prepare(path, plan);
    if (url === undefined) throw new RuntimeError('ResourceExhausted', 'too many streams wait to be used');
    return { url };
  }
}

function assertWanted(wanted: { tty: boolean; stdin: boolean; stdout: boolean; stderr: boolean }): void {
  if (wanted.tty && wanted.stderr) throw new RuntimeError('InvalidArgument', 'tty and stderr cannot both be true');
  if (wanted.stdin || wanted.stdout || wanted.stderr) return;
  throw new RuntimeError('InvalidArgument', 'one of stdin, stdout, or stderr must be set');
}
