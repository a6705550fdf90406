import type { Clock } from '../actor/clock.ts';
import { assertNever } from '../kube/text/assert-never.ts';
import type { AllowedRequest, PlainRequest } from './allowed-request.ts';
import { answerFigures } from './answer-figures.ts';
import { answerDebugging, type DebuggingTools } from './answer-debugging.ts';
import { readLogOptions } from './logs/container-log-options.ts';
import { findContainerLog } from './logs/find-container-log.ts';
import type { HealthSlis } from './health-slis.ts';
import type { LogFiles } from './logs/log-files.ts';
import type { NodeView } from './node-view.ts';
import { readContainerLog } from './logs/read-container-log.ts';
import { errorReply, jsonReply, textReply, type Reply } from './reply.ts';

export interface AnswerTools {
  readonly node: NodeView;
  readonly files: LogFiles;
  readonly clock: Clock;
  /** The endpoints for operators of the node. */
  readonly debugging: DebuggingTools;
  readonly slis: HealthSlis;
}

/** Answers everything that is no stream of a client's own protocol. */
export async function answerRequest(request: PlainRequest, tools: AnswerTools): Promise<Reply> {
  const { node } = tools;
  const { endpoint } = request;
  switch (endpoint) {
    case 'healthz':
      return healthReply(tools, request);
    case 'pods':
      return podsReply(node);
    case 'running-pods':
      return podsReply(node, ({ status }) => status?.phase === 'Running');
    case 'metrics':
    case 'metrics-resource':
    case 'metrics-cadvisor':
    case 'metrics-probes':
    case 'stats-summary':
    case 'slis':
      return answerFigures(endpoint, request, tools);
    case 'configz':
      return Promise.resolve(jsonReply({ kubeletconfig: node.configuration }));
    case 'container-logs':
      return logReply(request, tools);
    case 'run':
      return runReply(request, tools);
    case 'checkpoint':
    case 'node-logs':
    case 'profile':
    case 'flags':
    case 'statusz':
    case 'flagz':
      return answerDebugging(request, tools);
    default:
      return assertNever(endpoint, 'endpoint');
  }
}

async function podsReply(
  node: NodeView,
  pick: (pod: Awaited<ReturnType<NodeView['pods']>>[number]) => boolean = () => true,
): Promise<Reply> {
  const items = (await node.pods()).filter(pick);
  return jsonReply({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });
}

async function healthReply(
  { node: { healthChecks, namedChecks }, slis }: AnswerTools,
  { parameters, query }: AllowedRequest,
): Promise<Reply> {
  const only = parameters.get('check');
  const excluded = new Set(query.getAll('exclude'));
  const checks = [...healthChecks, ...(only === undefined ? [] : namedChecks)].filter(([name]) =>
    only === undefined ? !excluded.has(name) : name === only,
  );
  if (only !== undefined && checks.length === 0) return errorReply(404, '404 page not found');
  const results = await Promise.all(checks.map(async ([name, check]) => [name, await check()] as const));
  for (const [name, problem] of results) slis.observe(name, problem);
  const failed = results.some(([, problem]) => problem !== undefined);
  if (!failed && !query.has('verbose')) return textReply(200, 'ok');
  const lines = results.map(([name, problem]) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
  );
  return textReply(failed ? 500 : 200, `${lines.join('\n')}\nhealthz check ${failed ? 'failed' : 'passed'}\n`);
}

async function logReply(
  { parameters, query, signal }: AllowedRequest,
  { node, files, clock }: AnswerTools,
): Promise<Reply> {
  const read = readLogOptions(query, clock.now());
  if (!read.ok) return errorReply(read.status, read.problem);
  const { namespace = '', pod: name = '', container = '' } = Object.fromEntries(parameters);
  const pod = await node.pod(namespace, name);
  if (pod === undefined) return errorReply(404, `pod "${name}" not found`);
  const found = findContainerLog(pod, container, read.options.previous);
  if (!found.ok) return errorReply(found.status, found.problem);
  const { containerId } = found;
  const status = await node.cri.call('ContainerStatus', { containerId, verbose: false });
  if (!status.ok) return errorReply(400, `failed to get the container's status: ${status.fault.detail}`);
  const path = status.value.status?.logPath ?? '';
  if (path === '') return errorReply(400, `the runtime names no log file of container ${container}`);
  const isRunning = async (): Promise<boolean> => {
    const now = await node.cri.call('ContainerStatus', { containerId, verbose: false });
    // A runtime that is away for a moment has not ended its containers.
    if (!now.ok) return now.fault.code !== 'NOT_FOUND';
    return now.value.status?.state === RUNNING;
  };
  return {
    type: 'stream',
    contentType: 'text/plain',
    pieces: readContainerLog({ files, path, isRunning, clock, signal }, read.options),
  };
}

/** `CONTAINER_RUNNING` of the CRI. */
const RUNNING = 1;
const RUN_TIMEOUT_S = 0n;

async function runReply({ parameters, query }: AllowedRequest, { node }: AnswerTools): Promise<Reply> {
  const { namespace = '', pod: name = '', container = '' } = Object.fromEntries(parameters);
  const pod = await node.pod(namespace, name);
  if (pod === undefined) return errorReply(404, `pod "${name}" not found`);
  const found = findContainerLog(pod, container, false);
  if (!found.ok) return errorReply(500, found.problem);
  const cmd = (query.get('cmd') ?? '').split(' ').filter((part) => part !== '');
  const outcome = await node.cri.call('ExecSync', { containerId: found.containerId, cmd, timeout: RUN_TIMEOUT_S });
  if (!outcome.ok) return errorReply(500, outcome.fault.detail);
  const { exitCode, stdout, stderr } = outcome.value;
  const text = Buffer.concat([stdout, stderr]).toString();
  return exitCode === 0
    ? textReply(200, text, 'application/json')
    : errorReply(500, `command terminated with exit code ${exitCode}: ${text}`);
}
