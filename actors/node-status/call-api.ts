import { apiClient, type ApiCall } from '../../src/api/api-client.ts';
import { nodePath, nodesPath } from '../../src/api/api-path.ts';
import type { ApiOutcome } from '../../src/api/api-request.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import type { Node } from '../../src/kube/node.ts';
import type { NodeCall, NodeStatusSettings } from './state.ts';

/** Makes a call about this node's object. */
export function outcomeOf(
  call: NodeCall,
  { call: made, settings }: { readonly call: ApiCall; readonly settings: Pick<NodeStatusSettings, 'registration'> },
): Promise<ApiOutcome<Node>> {
  const api = apiClient(made);
  const { nodeName } = settings.registration;
  switch (call.type) {
    case 'create':
      return api.create(nodesPath, call.node, 'status');
    case 'get':
      return api.get(nodePath(nodeName), 'status');
    case 'patch-node':
      return api.patch(nodePath(nodeName), { type: 'strategic-merge', body: call.patch }, 'status');
    case 'patch-status':
      return api.patch(nodePath(nodeName, 'status'), { type: 'strategic-merge', body: call.patch }, 'status');
    default:
      return assertNever(call, 'call about the node');
  }
}
