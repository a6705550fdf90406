import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asker, askerOf } from '../../support/real-api/asker.ts';
import { type ServerUnderTest, startApiServer } from '../../support/real-api/server-under-test.ts';
import { MERGE } from './contract/rows.ts';
import { changedPods } from './contract/changed-pods.ts';
import { deletion } from './contract/deletion.ts';
import { leasesAndEvents } from './contract/leases-and-events.ts';
import { lists } from './contract/lists.ts';
import { newPods } from './contract/new-pods.ts';
import { nodes } from './contract/nodes.ts';
import { pathsAndTheRest } from './contract/paths-and-the-rest.ts';
import { podSubresources } from './contract/pod-subresources.ts';
import { reviews } from './contract/reviews.ts';
import { roles } from './contract/roles.ts';
import { smallKinds } from './contract/small-kinds.ts';

// The expected answers come from a real API server. Where the machine has a real server, both get the same requests.
const SUITE = 'the contract of the API';
const tables = {
  nodes,
  'new pods': newPods,
  'pods that are changed': changedPods,
  'subresources of pods': podSubresources,
  deletion,
  lists,
  'leases and events': leasesAndEvents,
  'small kinds': smallKinds,
  'reviews and tokens': reviews,
  'roles and bindings': roles,
  'paths, and what is left': pathsAndTheRest,
} as const;

interface Failure {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason: string; readonly field?: string }[] };
}

describe('the contract of the API', { timeout: 20_000 }, () => {
  let server: ServerUnderTest;
  let asker: Asker;

  beforeAll(async () => {
    server = await startApiServer(SUITE, { core: { bindPods: false } });
    asker = await askerOf(server.kubeconfig);
  }, 90_000);
  afterAll(async () => {
    asker?.close();
    await server?.close();
  });

  describe.each(Object.entries(tables))('%s', (_name, table) => {
    it.each(table)('%s', async (_what, asked, says) => {
      const uid = JSON.stringify(asked).includes('$UID') ? await uidAt(asked.path.replace('/status', '')) : '';
      const { code, body } = await asker.ask(JSON.parse(JSON.stringify(asked).replaceAll('$UID', uid)));
      const { reason, message, details } = body as Failure;
      // Messages differ between servers; the message only explains another mismatch.
      const failed = code >= 400;
      expect({ code, ...(failed && { reason, message }) }).toEqual({
        code: says.code,
        ...(failed && { reason: says.reason, message }),
      });
      const causes = details?.causes?.map(({ reason: why, field = '' }) => `${why} ${field}`.trim()) ?? [];
      expect(causes).toEqual(expect.arrayContaining([...says.causes]));
    });
  });

  describe('watches and pages', () => {
    const MAPS = '/api/v1/namespaces/default/configmaps';
    const map = (name: string, label: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { tier: label } },
    });
    const made = async (name: string, label = 'front'): Promise<void> => {
      const { code } = await asker.ask({ method: 'POST', path: MAPS, body: map(name, label) });
      if (code !== 201) throw new Error(`${name} could not be made: ${code}`);
    };
    const labelled = (name: string, tier: string) =>
      asker.ask({ method: 'PATCH', path: `${MAPS}/${name}`, type: MERGE, body: { metadata: { labels: { tier } } } });
    const revision = async (): Promise<string> => {
      const { body } = await asker.ask({ path: `${MAPS}?limit=1` });
      return (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
    };
    const seen = async (path: string, count: number): Promise<readonly string[]> => {
      const lines = (await asker.lines(path, count)) as readonly {
        readonly type: string;
        readonly object: { readonly metadata: { readonly name?: string } };
      }[];
      return lines.map(({ type, object }) => `${type} ${object.metadata.name ?? '-'}`);
    };

    it('deliver changes since a revision, and objects that enter or leave a selection', async () => {
      const since = await revision();
      await made('w1');
      await labelled('w1', 'back');
      await made('w2', 'back');
      await asker.ask({ method: 'DELETE', path: `${MAPS}/w1` });
      const from = `${MAPS}?watch=1&timeoutSeconds=5&resourceVersion=${since}`;
      expect(await seen(from, 4)).toEqual(['ADDED w1', 'MODIFIED w1', 'ADDED w2', 'DELETED w1']);
      expect(await seen(`${from}&labelSelector=tier%3Dfront`, 2)).toEqual(['ADDED w1', 'DELETED w1']);
      expect(await seen(`${from}&labelSelector=tier%3Dback`, 3)).toEqual(['ADDED w1', 'ADDED w2', 'DELETED w1']);
      expect(await seen(`${from}&fieldSelector=metadata.name%3Dw2`, 1)).toEqual(['ADDED w2']);
    });

    it('begin with existing objects without a revision', async () => {
      expect(await seen(`${MAPS}?watch=1&timeoutSeconds=5&fieldSelector=metadata.name%3Dw2`, 1)).toEqual(['ADDED w2']);
    });

    it('end with a requested bookmark', async () => {
      const path = `${MAPS}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dw2`;
      const [first, ...rest] = await seen(path, 9);
      expect(first).toBe('ADDED w2');
      // A server without new events may omit the bookmark.
      expect(rest.filter((line) => line !== 'BOOKMARK -')).toEqual([]);
    });

    it('return pages in order, with the remaining count, and all objects in total', async () => {
      for (const name of ['p1', 'p2', 'p3']) await made(name, 'paged');
      const page = async (more: string) => {
        const { body } = await asker.ask({ path: `${MAPS}?labelSelector=tier%3Dpaged&limit=2${more}` });
        const { items, metadata } = body as {
          readonly items: readonly { readonly metadata: { readonly name: string } }[];
          readonly metadata: { readonly continue?: string };
        };
        return { names: items.map((each) => each.metadata.name), next: metadata.continue ?? '' };
      };
      const first = await page('');
      expect(first.names).toEqual(['p1', 'p2']);
      expect(await page(`&continue=${encodeURIComponent(first.next)}`)).toEqual({ names: ['p3'], next: '' });
      const { body } = await asker.ask({ method: 'DELETE', path: `${MAPS}?labelSelector=tier%3Dpaged` });
      expect(body).toMatchObject({ kind: 'ConfigMapList' });
      expect((await page('')).names).toEqual([]);
    });
  });

  async function uidAt(path: string): Promise<string> {
    const { body } = await asker.ask({ path });
    return (body as { metadata: { uid: string } }).metadata.uid;
  }
});
