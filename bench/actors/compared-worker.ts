import { parentPort, workerData } from 'node:worker_threads';
import * as Comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { ACKNOWLEDGE_EVERY } from './compared.ts';

/** The other side of a comparison: counts messages, and answers questions. */
const port = parentPort;
let counted = 0;

if (port !== null && workerData === 'post-message') {
  port.on('message', ({ question }: { readonly question: boolean }) => {
    counted++;
    if (question || counted % ACKNOWLEDGE_EVERY === 0) port.postMessage(counted);
  });
}

if (port !== null && workerData === 'comlink') Comlink.expose({ count: () => ++counted }, nodeEndpoint(port));
