import type { ActorContext } from '../../src/actor/actor.ts';
import type { ApiCall } from '../../src/api/api-client.ts';
import { objectProblem, withoutNulls } from '../../src/api/answer-shapes.ts';
import { claimedName } from '../../src/api/object-meta.ts';
import { nodesPath } from '../../src/api/api-path.ts';
import { Reflector } from '../../src/api/reflector/reflector.ts';
import type { ReflectorInterruption } from '../../src/api/reflector/reflector-state.ts';
import type { Node } from '../../src/kube/node.ts';
import { dutyOf, followingDuty } from '../health-monitor/client.ts';
import { API_GATEWAY } from '../api-gateway/protocol.ts';
import type { NodeStatusProtocol } from './protocol.ts';

export type NodeReflector = Reflector<Node>;

/** Follows this node's object, and sends `node-object-observed` to the actor whenever the server's version changes. */
export function nodeReflector(
  context: ActorContext<NodeStatusProtocol>,
  options: {
    readonly nodeName: string;
    readonly call: ApiCall;
    readonly count: ((what: ReflectorInterruption) => void) | undefined;
  },
): NodeReflector {
  const { nodeName, call, count } = options;
  const gateway = context.ref(API_GATEWAY);
  const subscriber = context.self.address;
  const duty = dutyOf(context, {
    work: 'follow the node object',
    follows: 'labels and taints of the node are used as last seen',
  });
  return new Reflector<Node>({
    name: 'node',
    path: nodesPath,
    query: { fieldSelector: `metadata.name=${nodeName}` },
    check: { problemOf: (object) => objectProblem('nodes', object), keyIn: (object) => claimedName(object).uid ?? '' },
    project: (object) => asNode(object, nodeName),
    keyOf: ({ metadata }) => metadata.uid ?? '',
    changed({ set, gone }) {
      const [node] = set;
      if (node !== undefined) context.self.tell({ type: 'node-object-observed', node });
      else if (gone.length > 0) context.self.tell({ type: 'node-object-observed', node: undefined });
    },
    call,
    openWatch: (watch, path) => gateway.tell({ type: 'open-watch', watch, path, subscriber }),
    closeWatch: (watch) => gateway.tell({ type: 'close-watch', watch, subscriber }),
    supervise: (work) => context.supervise(work),
    clock: context.clock,
    random: context.random,
    log: context.log,
    following: followingDuty(() => duty),
    ...(count === undefined ? {} : { count }),
  });
}

/** The object, if it is this node's object. Its shape has been checked. */
function asNode(object: unknown, nodeName: string): Node | undefined {
  // Any object may be read so: both members may be missing.
  const metadata = (object as { readonly metadata?: { readonly name?: unknown } } | null)?.metadata;
  // The API client has checked the shape of nodes.
  return metadata?.name === nodeName ? withoutNulls(object as Node) : undefined;
}
