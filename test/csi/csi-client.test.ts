import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import { csiConnections, type CsiNode, type PluginSocket } from '../../src/csi/csi-client.ts';
import { NodeGetInfoResponse, NodeService } from '../../src/csi/gen/csi.ts';
import { PluginInfo, RegistrationService } from '../../src/csi/gen/registration.ts';

const MIB = 2 ** 20;
/** Bytes of an answer besides its long text. */
const ROOM = 64;

let directory: string;
let server: grpc.Server;
let node: CsiNode;
let plugin: PluginSocket;
interface Answers {
  readonly info: grpc.handleUnaryCall<unknown, NodeGetInfoResponse>;
  readonly plugin: grpc.handleUnaryCall<unknown, PluginInfo>;
}
let answers: Answers;
const nodeGetInfo: Answers['info'] = (call, reply) => answers.info(call, reply);
const getInfo: Answers['plugin'] = (call, reply) => answers.plugin(call, reply);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hivelet-csi-'));
  const socket = join(directory, 'csi.sock');
  server = new grpc.Server();
  server.addService(NodeService, { nodeGetInfo });
  server.addService(RegistrationService, { getInfo });
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, grpc.ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  const connections = csiConnections(systemClock);
  node = connections.node(socket, 'disks.test');
  plugin = connections.plugin(socket);
});
afterEach(() => {
  node.close();
  plugin.close();
  server.forceShutdown();
  rmSync(directory, { recursive: true, force: true });
});

const ofBytes = (bytes: number) => ({
  info: (_: unknown, reply: grpc.sendUnaryData<NodeGetInfoResponse>) =>
    reply(null, NodeGetInfoResponse.fromPartial({ nodeId: 'x'.repeat(bytes) })),
  plugin: (_: unknown, reply: grpc.sendUnaryData<PluginInfo>) =>
    reply(null, PluginInfo.fromPartial({ name: 'x'.repeat(bytes) })),
});
const failing = (details: string) => {
  const fail = (_: unknown, reply: grpc.sendUnaryData<never>): void => reply({ code: grpc.status.INTERNAL, details });
  return { info: fail, plugin: fail };
};

describe('the answer of a driver', () => {
  it('is read up to 4 MiB', async () => {
    answers = ofBytes(4 * MIB - ROOM);
    const [info, found] = [await node.info(), await plugin.info()];
    expect(info.ok && info.value.nodeId.length).toBe(4 * MIB - ROOM);
    expect(found.ok && found.value.name.length).toBe(4 * MIB - ROOM);
  });

  it('is refused beyond that, as the fault of this call alone', async () => {
    answers = ofBytes(4 * MIB);
    const refused = { ok: false, code: grpc.status.RESOURCE_EXHAUSTED };
    expect(await node.info()).toMatchObject(refused);
    expect(await plugin.info()).toMatchObject(refused);
    answers = ofBytes(1);
    expect(await node.info()).toMatchObject({ ok: true });
    expect(await plugin.info()).toMatchObject({ ok: true });
  });

  it.each([
    { length: 4_096, says: 'x'.repeat(4_096) },
    { length: 10_000, says: `${'x'.repeat(4_096)}… (5904 more characters)` },
  ])('with an error of $length characters reports at most 4,096 of them', async ({ length, says }) => {
    answers = failing('x'.repeat(length));
    const failed = { ok: false, code: grpc.status.INTERNAL, message: `rpc error: code = Internal desc = ${says}` };
    expect(await node.info()).toEqual(failed);
    expect(await plugin.info()).toEqual(failed);
  });
});
