import { treeOf } from '../actors/tree.ts';
import { serveAgentThread } from './agent/serve-agent-thread.ts';

await serveAgentThread(treeOf);
