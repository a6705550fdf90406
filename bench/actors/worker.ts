import { serveThread } from '../../src/actor/threads/serve-thread.ts';
import { benchEnvironment } from './bench-actors.ts';

await serveThread(() => benchEnvironment());
