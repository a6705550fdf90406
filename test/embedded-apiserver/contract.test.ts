import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asker, askerOf } from '../support/real-api/asker.ts';
import { type ServerUnderTest, startApiServer } from '../support/real-api/server-under-test.ts';
import { changedPods } from './contract/changed-pods.ts';
import { deletion } from './contract/deletion.ts';
import { leasesAndEvents } from './contract/leases-and-events.ts';
import { lists } from './contract/lists.ts';
import { newPods } from './contract/new-pods.ts';
import { nodes } from './contract/nodes.ts';
import { pathsAndTheRest } from './contract/paths-and-the-rest.ts';
import { podSubresources } from './contract/pod-subresources.ts';
import { reviews } from './contract/reviews.ts';
import { smallKinds } from './contract/small-kinds.ts';

// What a real server answers was read off one; with one on this machine, both are asked the same.
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
      // The message is the server's own, and there to be read where something else is wrong.
      const failed = code >= 400;
      expect({ code, ...(failed && { reason, message }) }).toEqual({
        code: says.code,
        ...(failed && { reason: says.reason, message }),
      });
      const causes = details?.causes?.map(({ reason: why, field = '' }) => `${why} ${field}`.trim()) ?? [];
      expect(causes).toEqual(expect.arrayContaining([...says.causes]));
    });
  });

  async function uidAt(path: string): Promise<string> {
    const { body } = await asker.ask({ path });
    return (body as { metadata: { uid: string } }).metadata.uid;
  }
});
