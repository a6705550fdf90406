import { conditions } from '../kube/manifest/conditions-shape.ts';
import { list, map, object, type Shape } from '../kube/manifest/decode-shape.ts';
import { isEntryName } from '../kube/validation/entry-name.ts';
import type { FieldProblem } from '../kube/validation/field-path.ts';
import { podStatusShape } from '../kube/manifest/pod-status-shape.ts';
import { shapeProblem } from '../kube/manifest/shape-problem.ts';
import { apiResourceOf } from './api-path.ts';
import { own, type Keyed } from '../kube/text/own.ts';

const metadata = object({
  name: 'string',
  namespace: 'string',
  uid: 'string',
  resourceVersion: 'string',
  generation: 'int',
  creationTimestamp: 'string',
  deletionTimestamp: 'string',
  labels: map('string'),
  annotations: map('string'),
  finalizers: list('string'),
  ownerReferences: list(object({ kind: 'string', name: 'string', uid: 'string', controller: 'bool' })),
});

/**
 * The shape of an object, as far as this agent reads its kind. `required` members: the code cannot read an object
 * without them.
 */
const kind = (members: Readonly<Record<string, Shape>>, ...required: readonly string[]): Shape =>
  object({ metadata, ...members }, required);

const taints = list(object({ key: 'string', value: 'string', effect: 'string', timeAdded: 'string' }, ['key']));
const secretRef = object({ name: 'string', namespace: 'string' });
const requirements = list(object({ key: 'string', operator: 'string', values: list('string') }));
const nodeTerms = list(object({ matchExpressions: requirements, matchFields: requirements }));
const request = kind({ status: object({ conditions, certificate: 'string' }) });

/**
 * Shapes of the API server's answers, as deep as the code reads them. Keyed by resource, or by resource and
 * subresource.
 */
const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['pods', kind({ status: podStatusShape })],
  ['pods/status', kind({ status: podStatusShape })],
  ...['nodes', 'nodes/status'].map((resource): [string, Shape] => [
    resource,
    kind(
      {
        spec: object({
          podCIDR: 'string',
          podCIDRs: list('string'),
          providerID: 'string',
          unschedulable: 'bool',
          taints,
        }),
        status: object({
          capacity: map('quantity'),
          allocatable: map('quantity'),
          conditions,
          addresses: list(object({ type: 'string', address: 'string' })),
          daemonEndpoints: object({ kubeletEndpoint: object({ Port: 'int' }) }),
          images: list(object({ names: list('string'), sizeBytes: 'int' })),
          volumesInUse: list('string'),
          volumesAttached: list(object({ name: 'string', devicePath: 'string' })),
          runtimeHandlers: list(object({ name: 'string' })),
          declaredFeatures: list('string'),
        }),
      },
      'metadata',
    ),
  ]),
  [
    'leases',
    kind({ spec: object({ holderIdentity: 'string', leaseDurationSeconds: 'int', renewTime: 'string' }) }, 'metadata'),
  ],
  ['configmaps', kind({ data: map('string'), binaryData: map('string'), immutable: 'bool' }, 'metadata')],
  ['secrets', kind({ data: map('string'), type: 'string', immutable: 'bool' }, 'metadata')],
  [
    'services',
    kind(
      {
        spec: object({
          clusterIP: 'string',
          ports: list(object({ name: 'string', protocol: 'string', port: 'int' }, ['port'])),
        }),
      },
      'metadata',
    ),
  ],
  ['runtimeclasses', kind({ handler: 'string' }, 'metadata', 'handler')],
  ['serviceaccounts', kind({}, 'metadata')],
  ['serviceaccounts/token', kind({ status: object({ token: 'string', expirationTimestamp: 'string' }) }, 'status')],
  [
    'tokenreviews',
    kind({
      status: object({
        authenticated: 'bool',
        error: 'string',
        audiences: list('string'),
        user: object({ username: 'string', uid: 'string', groups: list('string'), extra: map(list('string')) }),
      }),
    }),
  ],
  [
    'subjectaccessreviews',
    kind({ status: object({ allowed: 'bool', denied: 'bool', reason: 'string', evaluationError: 'string' }) }),
  ],
  [
    'persistentvolumeclaims',
    kind(
      {
        spec: object({ volumeName: 'string', volumeMode: 'string' }),
        status: object({
          phase: 'string',
          capacity: map('quantity'),
          conditions,
          allocatedResourceStatuses: map('string'),
        }),
      },
      'metadata',
    ),
  ],
  [
    'persistentvolumes',
    kind(
      {
        spec: object({
          volumeMode: 'string',
          capacity: map('quantity'),
          accessModes: list('string'),
          mountOptions: list('string'),
          claimRef: object({ uid: 'string', name: 'string', namespace: 'string' }),
          csi: object(
            {
              driver: 'string',
              volumeHandle: 'string',
              readOnly: 'bool',
              fsType: 'string',
              volumeAttributes: map('string'),
              nodeStageSecretRef: secretRef,
              nodePublishSecretRef: secretRef,
            },
            ['driver', 'volumeHandle'],
          ),
          hostPath: object({ path: 'string', type: 'string' }, ['path']),
          local: object({ path: 'string', fsType: 'string' }, ['path']),
          nodeAffinity: object({ required: object({ nodeSelectorTerms: nodeTerms }, ['nodeSelectorTerms']) }),
        }),
      },
      'metadata',
    ),
  ],
  [
    'csinodes',
    kind(
      {
        spec: object({
          drivers: list(
            object(
              {
                name: 'string',
                nodeID: 'string',
                topologyKeys: list('string'),
                allocatable: object({ count: 'int' }),
              },
              ['name'],
            ),
          ),
        }),
      },
      'metadata',
      'spec',
    ),
  ],
  [
    'csidrivers',
    kind({
      spec: object({
        attachRequired: 'bool',
        podInfoOnMount: 'bool',
        fsGroupPolicy: 'string',
        requiresRepublish: 'bool',
        serviceAccountTokenInSecrets: 'bool',
        tokenRequests: list(object({ audience: 'string', expirationSeconds: 'int' })),
      }),
    }),
  ],
  [
    'volumeattachments',
    kind({
      status: object({
        attached: 'bool',
        attachmentMetadata: map('string'),
        attachError: object({ message: 'string', time: 'string' }),
      }),
    }),
  ],
  ['clustertrustbundles', kind({ spec: object({ signerName: 'string', trustBundle: 'string' }) })],
  [
    'podcertificaterequests',
    kind(
      {
        status: object({
          conditions,
          certificateChain: 'string',
          notBefore: 'string',
          beginRefreshAt: 'string',
          notAfter: 'string',
        }),
      },
      'metadata',
    ),
  ],
  ['certificatesigningrequests', request],
]);

/**
 * Returns the problem of one object that the API server sent. `undefined` when the code can read the object, and
 * for resources that no code reads.
 */
export function objectProblem(resource: string, value: unknown): FieldProblem | undefined {
  const shape = shapes.get(resource);
  if (shape === undefined) return undefined;
  const problem = shapeProblem(shape, value);
  if (problem !== undefined) return problem;
  // The shape was checked above.
  const { metadata: meta, spec } = value as {
    readonly metadata?: { readonly name?: string | null; readonly namespace?: string | null } | null;
    readonly spec?: { readonly csi?: { readonly driver: string } | null } | null;
  };
  // A name is one segment of a path. The API server's own rule holds for the names of all kinds and is no stricter.
  for (const member of ['name', 'namespace'] as const) {
    const name = meta?.[member];
    if (name && !isEntryName(name)) return { path: ['metadata', member], value: name, message: NO_SEGMENT };
  }
  const driver = spec?.csi?.driver;
  if (driver === undefined || isEntryName(driver)) return undefined;
  return { path: ['spec', 'csi', 'driver'], value: driver, message: NO_SEGMENT };
}

const NO_SEGMENT = 'must not be "." or "..", and must not hold "/" or NUL';

/** Returns the problem in the answer to a call: in the object itself, or in one item of a list. */
export function answerProblem(path: string, value: unknown): FieldProblem | undefined {
  const resource = apiResourceOf(path);
  if (!shapes.has(resource)) return undefined;
  // Any answer may be read so: `items` is checked below.
  const items = (value as { readonly items?: unknown } | null | undefined)?.items;
  if (items === undefined || items === null) return objectProblem(resource, value);
  if (!Array.isArray(items)) return { path: ['items'], value: items, message: 'must be a list' };
  for (const [index, item] of items.entries()) {
    const problem = objectProblem(resource, item);
    if (problem !== undefined) return { ...problem, path: ['items', index, ...problem.path] };
  }
  return undefined;
}

/**
 * Removes members that are `null` from a parsed answer: Kubernetes treats them as absent. Items of lists are kept,
 * even if `null`.
 */
export function withoutNulls<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (const item of value) withoutNulls<unknown>(item);
    return value;
  }
  for (const name in value) {
    // Every object that is no list has members by name.
    const member = own<unknown>(value as Keyed<unknown>, name);
    if (member === null) Reflect.deleteProperty(value, name);
    else if (typeof member === 'object') withoutNulls(member);
  }
  return value;
}
