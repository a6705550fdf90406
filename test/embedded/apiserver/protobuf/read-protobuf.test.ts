import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import { readProtobuf } from '../../../../src/embedded/apiserver/protobuf/read-protobuf.ts';
import { FOREIGN_NAMES } from '../../../support/foreign-names.ts';

type Write = (writer: BinaryWriter) => BinaryWriter;

const nested =
  (field: number, write: Write): Write =>
  (writer) =>
    write(writer.tag(field, WireType.LengthDelimited).fork()).join();
const text =
  (field: number, value: string): Write =>
  (writer) =>
    writer.tag(field, WireType.LengthDelimited).string(value);
const number =
  (field: number, value: number): Write =>
  (writer) =>
    writer.tag(field, WireType.Varint).int64(value);
const all =
  (...writes: readonly Write[]): Write =>
  (writer) =>
    writes.reduce((done, write) => write(done), writer);

/** Encodes a body as clients do: four magic bytes, the type, and the object. */
function body(apiVersion: string, kind: string, write: Write): Buffer {
  const raw = write(new BinaryWriter()).finish();
  const envelope = all(nested(1, all(text(1, apiVersion), text(2, kind))), (writer) =>
    writer.tag(2, WireType.LengthDelimited).bytes(raw),
  );
  return Buffer.concat([Buffer.from('k8s\0'), envelope(new BinaryWriter()).finish()]);
}

describe('a body in protobuf', () => {
  it('is read as the same pod as its JSON, without the fields that are absent', () => {
    const volume = all(text(1, 'data'), nested(2, nested(2, all(text(1, 'Memory'), nested(2, text(1, '1Mi'))))));
    const port = all(text(1, 'http'), number(2, 0), number(3, 80), text(4, ''));
    const getAction = nested(2, all(text(1, '/'), nested(2, all(number(1, 1), text(3, 'http')))));
    const probe = all(nested(1, getAction), number(2, 0), number(4, 3), number(7, 0));
    const request = nested(2, all(text(1, 'cpu'), nested(2, text(1, '100m'))));
    const container = all(
      text(1, 'main'),
      text(2, 'app:1'),
      text(3, 'sh'),
      text(3, '-c'),
      nested(6, port),
      nested(8, request),
      nested(10, probe),
      number(16, 0),
      text(24, 'Always'),
    );
    const spec = all(nested(1, volume), nested(2, container), number(4, 0), number(11, 0));
    const pod = body('v1', 'Pod', all(nested(1, text(1, 'web')), nested(2, spec)));
    expect(readProtobuf(pod)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: {
        volumes: [{ name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }],
        containers: [
          {
            name: 'main',
            image: 'app:1',
            command: ['sh', '-c'],
            ports: [{ name: 'http', containerPort: 80 }],
            resources: { requests: { cpu: '100m' } },
            // Zero is a set time here, and an absent time there.
            livenessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 3, terminationGracePeriodSeconds: 0 },
            restartPolicy: 'Always',
          },
        ],
        terminationGracePeriodSeconds: 0,
      },
    });
  });

  it('is read with the gRPC probe of a container', () => {
    const probe = nested(1, nested(4, all(number(1, 9090), text(2, 'ready'))));
    const spec = nested(2, all(text(1, 'main'), nested(11, probe)));
    const pod = body('v1', 'Pod', all(nested(1, text(1, 'web')), nested(2, spec)));
    expect(readProtobuf(pod)).toMatchObject({
      spec: { containers: [{ readinessProbe: { grpc: { port: 9090, service: 'ready' } } }] },
    });
  });

  it('is read as a request for a token that is bound to a pod', () => {
    const bound = all(text(1, 'Pod'), text(2, 'v1'), text(3, 'web'));
    const request = body('authentication.k8s.io/v1', 'TokenRequest', nested(2, nested(3, bound)));
    expect(readProtobuf(request)).toMatchObject({
      spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web' } },
    });
  });

  it('is read as a quota', () => {
    const hard = all(text(1, 'pods'), nested(2, text(1, '5')));
    const quota = body('v1', 'ResourceQuota', all(nested(1, text(1, 'q')), nested(2, nested(1, hard))));
    expect(readProtobuf(quota)).toMatchObject({ metadata: { name: 'q' }, spec: { hard: { pods: '5' } } });
  });

  it.each([
    { what: 'of a kind without a protobuf table', given: body('v1', 'Widget', text(1, 'x')) },
    { what: 'that is not protobuf', given: Buffer.from('{}') },
    { what: 'that is truncated', given: body('v1', 'Pod', nested(1, text(1, 'web'))).subarray(0, -3) },
  ])('$what is rejected', ({ given }) => {
    expect(readProtobuf(given)).toBeUndefined();
  });
});

describe.each(FOREIGN_NAMES)('a body in protobuf with %s', (name) => {
  const entry = all(text(1, name), text(2, 'x'));
  const own = [[name, 'x']];

  it('as a key of labels, annotations and data has an own key, and no object inherits that key', () => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const metadata = all(text(1, 'm'), nested(11, entry), nested(12, entry));
    const read = readProtobuf(body('v1', 'ConfigMap', all(nested(1, metadata), nested(2, entry)))) as {
      readonly metadata: { readonly labels: object; readonly annotations: object };
      readonly data: object;
    };
    for (const map of [read.metadata.labels, read.metadata.annotations, read.data]) {
      expect(Object.entries(map)).toEqual(own);
      expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
    }
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  it('as its kind is rejected', () => {
    expect(readProtobuf(body('', name, text(1, 'x')))).toBeUndefined();
    expect(readProtobuf(body(name, name, text(1, 'x')))).toBeUndefined();
  });
});
