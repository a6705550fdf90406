import { kubeletMinorVersion } from '../../../src/node/object/kubelet-version.ts';
import { rpcErrorText } from '../../../src/cri/fault.ts';
import { assertNever } from '../../../src/kube/text/assert-never.ts';
import type { ContainerId } from '../../../src/kube/ids.ts';
import type { Container, LifecycleHandler } from '../../../src/kube/pod.ts';
import { joined } from '../../../src/probing/exec-probe.ts';
import {
  handlerTarget,
  type ExecTarget,
  type HandlerTarget,
  type HttpTarget,
} from '../../../src/probing/probe-target.ts';
import type { PodWorkerTools } from '../tools.ts';
import { within } from '../../../src/actor/in-time.ts';

export interface HookPlace {
  readonly pod: { readonly uid: string; readonly name: string; readonly namespace: string };
  readonly container: Container;
  readonly id: ContainerId;
  readonly podIp: string;
  /** Time left for the hook. */
  readonly withinMs: number;
}

/** A hook without a limit of its own ends with its pod at the latest. */
export const NO_LIMIT_MS = 24 * 3_600_000;
const USER_AGENT = `kube-lifecycle/${kubeletMinorVersion}`;

type HookTools = Pick<PodWorkerTools, 'runtime' | 'clock' | 'httpGet' | 'reports'>;

/** Runs a lifecycle hook to its end. Returns the reason of a failure in the kubelet's words. Never rejects. */
export async function runHook(
  tools: HookTools,
  handler: LifecycleHandler,
  place: HookPlace,
): Promise<string | undefined> {
  // A probe's command may refer to the container's variables; a hook's command is taken literally.
  const target: HandlerTarget =
    handler.exec === undefined
      ? handlerTarget(place.container, handler, place.podIp)
      : { type: 'exec', command: handler.exec.command ?? [] };
  const { name, namespace, uid } = place.pod;
  const of = `for Container "${place.container.name}" in Pod "${name}_${namespace}(${uid})"`;
  switch (target.type) {
    case 'exec': {
      const failed = await exec(tools, target, place);
      const { error, message } = failed ?? {};
      const command = `[${target.command.join(' ')}]`;
      return (
        failed && `Exec lifecycle hook (${command}) ${of} failed - error: ${error}, message: ${JSON.stringify(message)}`
      );
    }
    case 'http': {
      const error = await get(tools, target, place);
      return error && `HTTP lifecycle hook (${target.path}) ${of} failed - error: ${error}`;
    }
    case 'sleep':
      if (target.seconds * 1_000 > place.withinMs) tools.reports.metrics?.sleepCutShort();
      await within(tools.clock, Math.min(target.seconds * 1_000, place.withinMs), new Promise<never>(() => {}));
      return undefined;
    case 'tcp':
    case 'grpc':
      return `invalid handler: ${JSON.stringify(handler)}`;
    case 'invalid':
      return target.message;
    default:
      return assertNever(target, 'handler target');
  }
}

async function exec(
  { runtime: { cri } }: HookTools,
  { command }: ExecTarget,
  { pod, id, withinMs }: HookPlace,
): Promise<{ readonly error: string; readonly message: string } | undefined> {
  const outcome = await cri.call(
    'ExecSync',
    // No runtime timeout: the hook runs as long as its caller waits.
    { containerId: id, cmd: [...command], timeout: 0n },
    { podUid: pod.uid, timeoutMs: withinMs, lane: 'hook' },
  );
  if (!outcome.ok) return { error: rpcErrorText(outcome.fault), message: '' };
  const { exitCode, stdout, stderr } = outcome.value;
  if (exitCode === 0) return undefined;
  const error = `command '${command.join(' ')}' exited with ${exitCode}: ${joined(new Uint8Array(), stderr)}`;
  return { error, message: joined(stdout, stderr) };
}

/** Every HTTP status counts as success; only a failed request is a failure. */
async function get(
  { clock, httpGet, reports }: HookTools,
  target: HttpTarget,
  { withinMs }: HookPlace,
): Promise<string | undefined> {
  // Loaded on demand: Node's HTTP client takes some megabytes in each thread, and few pods have such hooks.
  const request = httpGet ?? (await import('../../../src/probing/http-get.ts')).httpGet;
  const options = { timeoutMs: withinMs, clock, userAgent: USER_AGENT };
  const outcome = await request(target, options);
  if (outcome.type === 'answered') return undefined;
  if (outcome.type === 'invalid' || !outcome.plainServer) return outcome.message;
  // Servers without a certificate used to work with HTTPS hooks. A password must not be sent to these in clear text.
  const headers = target.headers.filter(({ name }) => name.toLowerCase() !== 'authorization');
  const plain = await request({ ...target, scheme: 'http', headers }, options);
  if (plain.type !== 'answered') return plain.message;
  reports.metrics?.hookFellBackToHttp();
  const message = `request to HTTPS lifecycle hook ${target.host} got HTTP response, retry with HTTP succeeded`;
  reports.event({ type: 'Warning', reason: 'LifecycleHTTPFallback', message });
  return undefined;
}
