import { serveThread } from '../../src/actor/serve-thread.ts';
import { benchEnvironment } from './bench-actors.ts';

await serveThread(() => benchEnvironment());
