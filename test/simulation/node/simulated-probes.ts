import { assertNever } from '../../../src/kube/text/assert-never.ts';
import { dialErrorText } from '../../../src/probing/dial-error.ts';
import type { httpGet } from '../../../src/probing/http-get.ts';
import type { HttpTarget } from '../../../src/probing/probe-target.ts';
import type { ProbeOutcome } from '../../../src/probing/probe-outcome.ts';
import { proberOf, type ProbeDeps, type RunProbe } from '../../../src/probing/run-probe.ts';

/** Probes without a network: commands run in the simulated runtime, and no port is open. */
export function withoutNetwork(deps: ProbeDeps): RunProbe {
  const prober = proberOf(deps);
  return async (request) => {
    const { target } = request;
    switch (target.type) {
      case 'tcp':
        return refused('', target.host, target.port);
      case 'http':
        return refused(asking(target), target.host, target.port);
      case 'grpc':
        return refused('error: failed to connect service: ', target.host, target.port);
      case 'exec':
      case 'sleep':
      case 'invalid':
        return prober(request);
      default:
        return assertNever(target, 'handler target');
    }
  };
}

/** The HTTP requests of hooks. */
export const nobodyListens: typeof httpGet = (target) => {
  const { output } = refused(asking(target), target.host, target.port);
  return Promise.resolve({ type: 'failed', message: output, plainServer: false });
};

const asking = ({ scheme, host, port, path }: HttpTarget): string => `Get "${scheme}://${host}:${port}${path}": `;

const refused = (prefix: string, host: string, port: number): ProbeOutcome => ({
  result: 'failure',
  output: `${prefix}${dialErrorText(Object.assign(new Error(), { code: 'ECONNREFUSED' }), host, port)}`,
});
