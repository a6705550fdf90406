import * as fc from 'fast-check';
import { loginsAmong, loginsFor, loginsInFile, type ImageLogin } from '../../../src/pod/image/image-credentials.ts';
import { hostileBytes, hostileKey, hostileText, hostileValue } from '../hostile-values.ts';
import { type FuzzedNode, NODE } from '../node/fuzzed-node.ts';
import { nodeBench } from '../node/node-bench.ts';
import { HANDLER_MS, judged } from '../oracle.ts';
import { jsonOf, textOf, valueOf, type Recipe } from '../recipe.ts';
import type { Target } from '../target.ts';

/** One login of a secret: a registry and its entry. */
type Entry =
  | { readonly place: Recipe; readonly auth: Recipe }
  /** The text before its encoding. */
  | { readonly place: Recipe; readonly login: Recipe }
  | { readonly place: Recipe; readonly value: Recipe };

interface SecretCase {
  readonly kind: 'kubernetes.io/dockerconfigjson' | 'kubernetes.io/dockercfg' | 'Opaque';
  readonly entries: readonly Entry[];
  /** Replaces the entries. */
  readonly raw: string | null;
  readonly image: Recipe;
  /** The secret is read alone, or through a pod on a whole node. */
  readonly through: 'reader' | 'pod';
}

const IMAGE = 'registry.example/private:1';
const HOSTILE_PODS = '/api/v1/namespaces/hostile/pods';
const LONG_HOST: Recipe = { $join: [{ $repeat: ['a', 60] }, '.', { $repeat: ['b', 60] }, '.example/app:1'] };

const place: fc.Arbitrary<Recipe> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'registry.example',
      'https://registry.example/v1/',
      'index.docker.io',
      '*.example',
      '*.*',
      '*****',
    ),
  },
  { weight: 2, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('registry.example', 'https://registry.example/a', '*'), hostileText)
      .map(([host, rest]): Recipe => ({ $join: [host, '/', rest, 'b'] })),
  },
);

const entry: fc.Arbitrary<Entry> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ place, login: hostileText.map((text): Recipe => ({ $join: ['u:', text] })) }) },
  { weight: 2, arbitrary: fc.record({ place, auth: hostileText }) },
  { weight: 1, arbitrary: fc.record({ place, login: hostileText }) },
  { weight: 1, arbitrary: fc.record({ place, value: hostileValue }) },
  {
    weight: 1,
    arbitrary: fc.record({
      place,
      value: fc.dictionary(fc.constantFrom('username', 'password', 'auth', '__proto__'), hostileValue),
    }),
  },
);

export const pullSecrets: Target<SecretCase> = {
  name: 'pull-secrets',
  allowedMs: HANDLER_MS,
  cases: fc.record({
    kind: fc.constantFrom(
      'kubernetes.io/dockerconfigjson' as const,
      'kubernetes.io/dockercfg' as const,
      'Opaque' as const,
    ),
    entries: fc.array(entry, { maxLength: 3 }),
    // oxlint-disable-next-line unicorn/no-null -- a case is JSON
    raw: fc.option(fc.oneof(hostileBytes, hostileKey), { freq: 9, nil: null }),
    image: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom<Recipe>(IMAGE, 'web', 'docker.io/library/web', LONG_HOST) },
      { weight: 1, arbitrary: hostileText },
    ),
    through: fc.oneof(
      { weight: 15, arbitrary: fc.constant('reader' as const) },
      { weight: 1, arbitrary: fc.constant('pod' as const) },
    ),
  }),
  async open() {
    const node = await nodeBench(feed, { absentImages: [IMAGE] });
    return {
      run: (given) => (given.through === 'pod' ? node.run(given) : judged('logins', () => read(given), outcomeOf)),
      close: () => node.close(),
    };
  },
};

const outcomeOf = (answer: unknown): string => `${(answer as readonly ImageLogin[]).length} logins`;

function read(given: SecretCase): readonly ImageLogin[] {
  const image = textOf(given.image);
  const { type, data } = secretOf(given);
  const text = configText(given);
  const found = [
    ...loginsFor(image, [{ type, data }]).logins,
    ...loginsInFile(image, text),
    ...loginsAmong(image, authsOf(given)),
  ];
  for (const { username, password } of found) {
    if (typeof username !== 'string' || typeof password !== 'string') throw new Error('a login is no text');
  }
  return found;
}

/** Keeps a key `__proto__` as an own key. */
const authsOf = ({ entries }: SecretCase): Readonly<Record<string, unknown>> =>
  Object.fromEntries(entries.map((each) => [textOf(each.place), entryValue(each)]));

function entryValue(each: Entry): unknown {
  if ('value' in each) return valueOf(each.value);
  return { auth: 'auth' in each ? textOf(each.auth) : Buffer.from(textOf(each.login)).toString('base64') };
}

function configText(given: SecretCase): string {
  if (given.raw !== null) return given.raw;
  const auths = given.entries.map((each): string => {
    const value = 'value' in each ? jsonOf(each.value) : JSON.stringify(entryValue(each));
    return `${JSON.stringify(textOf(each.place))}:${value}`;
  });
  const text = `{${auths.join(',')}}`;
  return given.kind === 'kubernetes.io/dockercfg' ? text : `{"auths":${text}}`;
}

function secretOf(given: SecretCase) {
  const key = given.kind === 'kubernetes.io/dockercfg' ? '.dockercfg' : '.dockerconfigjson';
  return { type: given.kind, data: { [key]: Buffer.from(configText(given)).toString('base64') } };
}

/** A pod pulls with the secret. After its removal, another pod uses the same image without the secret. */
async function feed(node: FuzzedNode, given: SecretCase): Promise<string> {
  node.runtime.core.images.removeImage({ image: { image: IMAGE } as never });
  const metadata = { name: 'login', namespace: 'hostile', uid: 'uid-login', resourceVersion: '900001' };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata, ...secretOf(given) };
  node.api.answer = ({ verb, path }) =>
    verb === 'get' && path.startsWith('/api/v1/namespaces/hostile/secrets/') ? { ok: true, value: secret } : undefined;
  node.api.serve('/api/v1/namespaces/hostile/secrets', [secret]);
  await node.create(HOSTILE_PODS, podObject('hostile', { imagePullSecrets: [{ name: 'login' }] }));
  await node.pass(3_000);
  const outcome = node
    .leftovers()
    .map((each) => each.split(' ')[0])
    .join(' ');
  await remove(node, 'hostile');
  await node.comeToRest();
  if (node.isSound) await mustStart(node);
  return outcome;
}

async function mustStart(node: FuzzedNode): Promise<void> {
  await node.create(HOSTILE_PODS, podObject('victim', {}));
  const runs = await node.until(() => node.isReady('victim'), 120_000);
  if (!runs)
    node.complain({
      kind: 'others-touched',
      where: 'a later pod with the same image',
      detail: node.statusOf('victim'),
    });
  await remove(node, 'victim');
  await node.comeToRest();
}

async function remove(node: FuzzedNode, name: string): Promise<void> {
  await node.ask({ verb: 'delete', path: `${HOSTILE_PODS}/${name}`, body: {}, priority: 'object' });
}

const podObject = (name: string, more: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'hostile' },
  spec: {
    nodeName: NODE,
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image: IMAGE, imagePullPolicy: 'IfNotPresent' }],
    ...more,
  },
});
