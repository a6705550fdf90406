import type { WallMs } from '../actor/clock.ts';
import { errorReply, textReply, type Reply } from './reply.ts';

/** The contents of `/statusz` (KEP-4827). */
export interface ComponentStatus {
  /** Wall-clock milliseconds. */
  readonly startedAt: WallMs;
  /** The Kubernetes version, as in the node's object. */
  readonly version: string;
  /** The version of Node.js. */
  readonly runtimeVersion: string;
  readonly paths: readonly string[];
}

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

const MINUTE = 60;
const HOUR = 3_600;

/** Answers `/statusz` in the form that `accept` asks for. */
export function statusPage(status: ComponentStatus, accept: string | undefined, now: WallMs): Promise<Reply> {
  const { startedAt, version, runtimeVersion, paths } = status;
  const uptimeSeconds = Math.max(0, Math.floor((now - startedAt) / 1_000));
  const up = `${Math.floor(uptimeSeconds / HOUR)} hr ${pad(Math.floor(uptimeSeconds / MINUTE) % 60)} min ${pad(uptimeSeconds % 60)} sec`;
  return page('Statusz', accept, {
    text: [
      `Started: ${new Date(startedAt).toUTCString()}`,
      `Up: ${up}`,
      `Runtime version: ${runtimeVersion}`,
      `Binary version: ${version}`,
      `Paths: ${paths.join(' ')}`,
    ],
    fields: {
      startTime: new Date(startedAt).toISOString().replace(/\.\d+Z$/, 'Z'),
      uptimeSeconds,
      // The field's name is Go's; its value shows that this is another runtime.
      goVersion: runtimeVersion,
      binaryVersion: version,
      emulationVersion: version.replace(/^v(\d+\.\d+).*$/, '$1'),
      paths,
    },
  });
}

/** Answers `/flagz`: the agent's command-line flags (KEP-4828). */
export const flagsPage = (flags: Readonly<Record<string, string>>, accept: string | undefined): Promise<Reply> =>
  page('Flagz', accept, { text: Object.entries(flags).map(([name, value]) => `${name}=${value}`), fields: { flags } });

const pad = (value: number): string => String(value).padStart(2, '0');

const STRUCTURED = /^application\/(?<format>json|yaml);(?<parameters>[^,]*)$/;

/** Returns text, unless the client asks for a supported version of the structured form. */
async function page(
  kind: 'Statusz' | 'Flagz',
  accept: string | undefined,
  content: { readonly text: readonly string[]; readonly fields: object },
): Promise<Reply> {
  const wanted = (accept ?? '*/*').split(',').map((each) => each.replaceAll(/\s/g, ''));
  for (const each of wanted) {
    const [type = ''] = each.split(';');
    if (['*/*', 'text/*', 'text/plain'].includes(type)) {
      const text = `\nkubelet ${kind.toLowerCase()}\n${WARNING}\n\n${content.text.join('\n')}\n`;
      return textReply(200, text);
    }
    const { format, parameters = '' } = STRUCTURED.exec(each)?.groups ?? {};
    // The second part may be missing.
    const asked = new Map(parameters.split(';').map((part) => part.split('=') as [string, string | undefined]));
    const version = asked.get('v');
    if (asked.get('g') !== 'config.k8s.io' || asked.get('as') !== kind) continue;
    if (version !== 'v1beta1' && version !== 'v1alpha1') continue;
    const object = { kind, apiVersion: `config.k8s.io/${version}`, metadata: { name: 'kubelet' }, ...content.fields };
    if (format === 'json') return textReply(200, JSON.stringify(object), 'application/json');
    // Rarely requested, and the library weighs some megabytes.
    const { stringify } = await import('yaml');
    return textReply(200, stringify(object), 'application/yaml');
  }
  return errorReply(406, 'text/plain, or JSON or YAML of config.k8s.io/v1beta1, is what there is');
}
