/**
 * The target of the probes, in a process of its own so that its CPU is not counted. Prints its ports, and serves
 * until it is killed.
 */
import { createServer as httpServer } from 'node:http';
import { createServer as tcpServer, type AddressInfo, type Server } from 'node:net';
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 }, () => {
      // It listens on an address, not on a path.
      resolve((server.address() as AddressInfo).port);
    });
  });

const asIs = (bytes: Buffer): Buffer => bytes;
const grpc = new GrpcServer();
grpc.addService(
  {
    Check: {
      path: '/grpc.health.v1.Health/Check',
      requestStream: false,
      responseStream: false,
      requestSerialize: asIs,
      requestDeserialize: asIs,
      responseSerialize: asIs,
      responseDeserialize: asIs,
    },
  },
  { Check: (_call: unknown, done: (error: null, value: Buffer) => void) => done(null, Buffer.from([8, 1])) },
);
const grpcPort = await new Promise<number>((resolve, reject) => {
  grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  );
});
const ports = {
  http: await listen(httpServer((_request, response) => void response.end('ok'))),
  tcp: await listen(tcpServer((socket) => void socket.on('error', () => {}).on('end', () => socket.end()))),
  grpc: grpcPort,
};
process.stdout.write(`${JSON.stringify(ports)}\n`);
