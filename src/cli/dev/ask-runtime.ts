import { accessSync, constants } from 'node:fs';
import { criClient } from '../../cri/client.ts';
import { criMethods } from '../../cri/methods.ts';
import { criTarget, grpcTransport } from '../../cri/transport.ts';
import type { RuntimeAnswer } from './find-runtime.ts';

const ANSWER_WITHIN_MS = 2_000;

/** Asks the endpoint if it is a CRI v1 runtime that can run pods now. Answers within a few seconds in any case. */
export async function askRuntime(endpoint: string): Promise<RuntimeAnswer> {
  const path = socketPathOf(endpoint);
  const barred = path === undefined ? undefined : whyNotOpened(path);
  if (barred !== undefined) return { usable: false, why: barred };
  const transport = transportTo(endpoint);
  if (transport === undefined) return { usable: false, why: 'it is no address of a socket: unix:///path is one' };
  try {
    const cri = criClient((method, request, { timeoutMs }) =>
      transport.unary(criMethods[method].path, request, timeoutMs),
    );
    const version = await cri.call('Version', { version: '' }, { timeoutMs: ANSWER_WITHIN_MS });
    if (!version.ok) return { usable: false, why: `the runtime does not answer as CRI v1 (${version.fault.detail})` };
    const status = await cri.call('Status', { verbose: false }, { timeoutMs: ANSWER_WITHIN_MS });
    if (!status.ok) return { usable: false, why: `the runtime does not report its status (${status.fault.detail})` };
    const lacking = status.value.status?.conditions.find((condition) => !condition.status);
    if (lacking !== undefined) {
      return {
        usable: false,
        why: `the runtime reports that ${lacking.type} is false (${lacking.message || lacking.reason})`,
      };
    }
    return { usable: true, name: version.value.runtimeName, version: version.value.runtimeVersion };
  } finally {
    transport.close();
  }
}

/** `undefined` when the endpoint is no address that gRPC can read. */
function transportTo(endpoint: string): ReturnType<typeof grpcTransport> | undefined {
  try {
    return grpcTransport(endpoint);
  } catch {
    return undefined;
  }
}

function socketPathOf(endpoint: string): string | undefined {
  const target = criTarget(endpoint);
  return target.startsWith('unix:') ? target.slice('unix:'.length).replace(/^\/\//, '') : undefined;
}

function whyNotOpened(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isMissing ? 'there is no such socket' : 'this user may not open the socket';
  }
}
