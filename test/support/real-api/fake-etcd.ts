/** Replaces a missing `etcd`: answers `/health` at its address, and stores nothing. */
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: {
    'data-dir': text,
    'listen-client-urls': text,
    'advertise-client-urls': text,
    'listen-peer-urls': text,
    'initial-advertise-peer-urls': text,
    'initial-cluster': text,
    'unsafe-no-fsync': { type: 'boolean' },
  },
});
const { hostname, port } = new URL(values['listen-client-urls'] ?? '');
createServer((_request, response) => response.end('{"health":"true"}')).listen(Number(port), hostname);
