import { checkOneOf, checkRange, MAX_INT32, REQUIRED } from './field-checks.ts';
import type { FieldChecks } from './field-checks.ts';
import { whyNoPortName } from './name-rules.ts';
import type { LifecycleHandler, Probe } from '../pod.ts';

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'] as const;

type AnyHandler = LifecycleHandler & Pick<Probe, 'grpc'>;

/**
 * Checks a probe: exactly one handler, sensible times. `once` marks liveness and startup, for which one success is
 * enough.
 */
export function validateProbe(checks: FieldChecks, probe: Probe | undefined, kind: 'readiness' | 'once'): void {
  if (probe === undefined) return;
  validateHandler(checks, probe);
  checkRange(checks, [['initialDelaySeconds'], probe.initialDelaySeconds], [0, MAX_INT32]);
  for (const field of ['timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const) {
    checkRange(checks, [[field], probe[field]], [1, MAX_INT32]);
  }
  checkRange(checks, [['terminationGracePeriodSeconds'], probe.terminationGracePeriodSeconds], [1, MAX_INT32]);
  if (kind === 'once' && (probe.successThreshold ?? 1) !== 1) {
    checks.report(['successThreshold'], probe.successThreshold, 'must be 1');
  }
  if (kind === 'readiness' && probe.terminationGracePeriodSeconds !== undefined) {
    checks.report(
      ['terminationGracePeriodSeconds'],
      probe.terminationGracePeriodSeconds,
      'has no meaning for readiness',
    );
  }
}

/** Checks a hook or the handler of a probe: exactly one action, with its required fields. */
export function validateHandler(checks: FieldChecks, handler: AnyHandler, graceSeconds?: number): void {
  const present = HANDLERS.filter((name) => handler[name] !== undefined);
  if (present.length === 0) checks.report([], undefined, `must have one of ${HANDLERS.join(', ')}`);
  if (present.length > 1) checks.report([], undefined, `must not have more than one of ${present.join(', ')}`);
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (exec !== undefined && (exec.command ?? []).length === 0) checks.report(['exec', 'command'], undefined, REQUIRED);
  if (httpGet !== undefined) {
    validatePort(checks.below('httpGet'), httpGet.port);
    checkOneOf(checks, [['httpGet', 'scheme'], httpGet.scheme], ['HTTP', 'HTTPS']);
  }
  if (tcpSocket !== undefined) validatePort(checks.below('tcpSocket'), tcpSocket.port);
  if (grpc !== undefined) validatePort(checks.below('grpc'), grpc.port);
  if (sleep !== undefined) checkRange(checks, [['sleep', 'seconds'], sleep.seconds], [0, graceSeconds ?? MAX_INT32]);
}

function validatePort(checks: FieldChecks, port: number | string | undefined): void {
  if (port === undefined) checks.report(['port'], undefined, REQUIRED);
  else if (typeof port === 'number') checkRange(checks, [['port'], port], [1, 65_535]);
  else {
    const why = whyNoPortName(port);
    if (why !== undefined) checks.report(['port'], port, why);
  }
}
