import { httpGet, type HttpOptions } from './http-get.ts';
import type { ProbeOutcome } from './probe-outcome.ts';
import type { HttpTarget } from './probe-target.ts';

/** 2xx and 3xx are a success. 3xx adds a warning, since redirects on the same host were already followed. */
export async function httpProbe(target: HttpTarget, options: HttpOptions): Promise<ProbeOutcome> {
  const outcome = await httpGet(target, options);
  if (outcome.type === 'invalid') return { result: 'error', output: outcome.message };
  if (outcome.type === 'failed') return { result: 'failure', output: outcome.message };
  const { status, body } = outcome;
  if (status < 200 || status >= 400) {
    return { result: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
  }
  if (status < 300) return { result: 'success', output: body };
  return { result: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
}
