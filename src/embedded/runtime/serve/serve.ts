import { mkdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { type Clock, systemClock } from '../../../actor/clock.ts';
import { claimRuntimeSocket } from './claim-runtime-socket.ts';
import { obey } from './control-command.ts';
import { serveControl } from './control-server.ts';
import type { EventPlan } from '../inventory/event-feed.ts';
import { seededIds } from '../inventory/ids.ts';
import type { Latencies } from '../runtime-context.ts';
import { RuntimeCore } from '../runtime-core.ts';
import { hostFiles } from '../inventory/runtime-files.ts';
import { grpcServer } from './server.ts';
import { parseScript } from '../script/script.ts';
import { StreamCalls } from '../streaming/stream-calls.ts';
import { hostReader } from '../../../host/host-reader.ts';
import { kernelPeers } from '../../../host/tcp-peers.ts';
import { openStreamingServer } from '../streaming/streaming-server.ts';

export interface EmbeddedRuntimeOptions {
  /**
   * The unix socket of the CRI services. Its directory is made; the control socket is beside it,
   * `<socketPath>.control`.
   */
  readonly socketPath: string;
  /** A script as read from JSON or YAML; checked here. */
  readonly script?: unknown;
  /** The same seed gives the same IDs in the same order. Without one, IDs differ from run to run. */
  readonly seed?: number;
  readonly latencies?: Partial<Latencies>;
  readonly events?: EventPlan;
  /** The reported directory of images; the socket's own by default. */
  readonly stateDir?: string;
  readonly clock?: Clock;
}

/** A running simulated runtime. */
export interface EmbeddedRuntime {
  readonly core: RuntimeCore;
  readonly socketPath: string;
  readonly controlPath: string;
  /** Cuts all calls, closes both sockets and removes them. All simulated state is lost. */
  close(): Promise<void>;
}

/** Starts a simulated runtime. Rejects if the script is invalid or a socket cannot be made. */
export async function serveEmbeddedRuntime(options: EmbeddedRuntimeOptions): Promise<EmbeddedRuntime> {
  const { script, latencies, events, clock = systemClock } = options;
  const socketPath = resolve(options.socketPath);
  const controlPath = `${socketPath}.control`;
  const core = new RuntimeCore(
    // IDs must not repeat after a restart of this process: a kubelet that lived through it would take new
    // containers for old ones.
    { clock, nextId: seededIds(options.seed ?? Math.floor(clock.now())), files: hostFiles },
    {
      script: parseScript(script),
      stateDir: options.stateDir ?? dirname(socketPath),
      ...(latencies && { latencies }),
      ...(events && { events }),
    },
  );
  mkdirSync(dirname(socketPath), { recursive: true });
  await claimRuntimeSocket(socketPath);
  await claimRuntimeSocket(controlPath);
  const streaming = await openStreamingServer({ clock, peers: kernelPeers(hostReader, clock) });
  const server = grpcServer(core, new StreamCalls({ core, server: streaming, clock }));
  const control = await serveControl(controlPath, (command) => obey(core, command));
  try {
    await new Promise<void>((bound, failed) => {
      server.bindAsync(`unix:${socketPath}`, ServerCredentials.createInsecure(), (error) =>
        error ? failed(error) : bound(),
      );
    });
  } catch (error) {
    await streaming.close();
    await control.close();
    throw error;
  }
  return {
    core,
    socketPath,
    controlPath,
    async close() {
      server.forceShutdown();
      await streaming.close();
      await control.close();
      for (const path of [socketPath, controlPath]) rmSync(path, { force: true });
    },
  };
}
