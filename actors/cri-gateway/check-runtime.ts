import { criClient } from '../../src/cri/client.ts';
import type { StatusResponse, VersionResponse } from '../../src/cri/gen/api.ts';
import { criMethods } from '../../src/cri/methods.ts';
import type { CriTransport } from '../../src/cri/transport.ts';
import type { RuntimeCheck, RuntimeFacts } from './protocol.ts';

const CHECK_TIMEOUT_MS = 10_000;

/** Checks the runtime's health, past all lanes. An unreadable answer is a fault like any other. */
export async function checkRuntime(transport: Pick<CriTransport, 'unary'>): Promise<RuntimeCheck> {
  const cri = criClient((method, request, { timeoutMs }) =>
    transport.unary(criMethods[method].path, request, timeoutMs),
  );
  const within = { timeoutMs: CHECK_TIMEOUT_MS };
  const status = await cri.call('Status', { verbose: false }, within);
  if (!status.ok) return status;
  const version = await cri.call('Version', { version: 'v1' }, within);
  if (!version.ok) return version;
  return { ok: true, facts: runtimeFacts(status.value, version.value) };
}

function runtimeFacts(status: StatusResponse, version: VersionResponse): RuntimeFacts {
  const condition = (type: string) => status.status?.conditions.find((each) => each.type === type);
  const network = condition('NetworkReady');
  return {
    name: version.runtimeName,
    version: version.runtimeVersion,
    runtimeReady: condition('RuntimeReady')?.status === true,
    networkNotReady:
      network?.status === true ? '' : (network?.message ?? 'the runtime reports no NetworkReady condition'),
  };
}
