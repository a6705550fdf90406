import type { Clock } from '../actor/clock.ts';
import { assertNever } from '../kube/text/assert-never.ts';
import type { AllowedRequest } from './allowed-request.ts';
import { answerNodeLogs, type NodeLogTools } from './logs/answer-node-logs.ts';
import { checkpointContainer, type CheckpointTools } from './checkpoint-container.ts';
import { flagsPage, statusPage, type ComponentStatus } from './component-pages.ts';
import type { NodeView } from './node-view.ts';
import type { ProfileAnswers } from './profiles.ts';
import { errorReply, textReply, type Reply } from './reply.ts';

/** The dependencies of the endpoints for operators of the node. */
export interface DebuggingTools {
  readonly logs: NodeLogTools;
  readonly checkpoints: CheckpointTools['folder'];
  readonly profiles: ProfileAnswers;
  readonly status: ComponentStatus;
  /** The agent's command-line flags. */
  readonly flags: Readonly<Record<string, string>>;
  /** Sets the log verbosity, as `--v`. */
  setVerbosity(verbosity: number): Promise<void>;
}

type DebuggingEndpoint = 'checkpoint' | 'node-logs' | 'profile' | 'flags' | 'statusz' | 'flagz';

/** Answers the endpoints for operators of the node. */
export async function answerDebugging(
  request: AllowedRequest,
  { debugging, node, clock }: { readonly debugging: DebuggingTools; readonly node: NodeView; readonly clock: Clock },
): Promise<Reply> {
  // The caller picks these out.
  const endpoint = request.endpoint as DebuggingEndpoint;
  switch (endpoint) {
    case 'checkpoint':
      return checkpointContainer(request, { node, folder: debugging.checkpoints, now: clock.now() });
    case 'node-logs':
      return answerNodeLogs(request, debugging.logs);
    case 'profile':
      return debugging.profiles.answer(request);
    case 'flags':
      return setVerbosity(await request.body(), debugging);
    case 'statusz':
      return statusPage(debugging.status, request.headers.accept, clock.now());
    case 'flagz':
      return flagsPage(debugging.flags, request.headers.accept);
    default:
      return assertNever(endpoint, 'debugging endpoint');
  }
}

async function setVerbosity(text: string, debugging: DebuggingTools): Promise<Reply> {
  if (!/^\s*\d{1,3}\s*$/.test(text))
    return errorReply(400, `failed to set verbosity: ${JSON.stringify(text.slice(0, 64))}`);
  const verbosity = Number(text);
  await debugging.setVerbosity(verbosity);
  return textReply(200, `successfully set verbosity to ${verbosity}`);
}
