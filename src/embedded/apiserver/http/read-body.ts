import { parseYaml } from '../../../kube/text/parse-yaml.ts';
import { readProtobuf } from '../protobuf/read-protobuf.ts';
import { badRequest, unsupportedMediaType } from '../store/refusal.ts';

const unknownFormat = () =>
  unsupportedMediaType(
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
  );

/** Returns the parsed body of a request, or the refusal. An empty body is `undefined`. */
export function readBody(body: Buffer, contentType: string | undefined): unknown {
  if (body.length === 0) return undefined;
  const [type = ''] = (contentType ?? 'application/json').split(';');
  if (!/^application\/(.*[+.])?(json|yaml|vnd\.kubernetes\.protobuf|cbor)$/.test(type.trim())) return unknownFormat();
  if (type === 'application/vnd.kubernetes.protobuf') return readProtobuf(body) ?? unknownFormat();
  if (type.includes('protobuf') || type.includes('cbor')) return unknownFormat();
  const text = body.toString();
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!type.includes('yaml')) return badRequest(`the body of the request is not JSON: ${String(error)}`);
  }
  const parsed = parseYaml(text, { reading: { prettyErrors: true } });
  return parsed.ok ? parsed.value : badRequest(`the body of the request is no YAML: ${parsed.problem}`);
}
