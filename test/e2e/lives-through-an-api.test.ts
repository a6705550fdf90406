import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findCases } from '../golden-runner/find-cases.ts';
import type { CaseOutcome } from '../golden-runner/run-case.ts';
import { openApi } from '../golden-runner/via-api/api-of-lives.ts';
import { playViaApi } from '../golden-runner/via-api/play-via-api.ts';
import { NODE } from '../lifecycle/live/live-node.ts';
import { startApiServer } from '../support/real-api/server-under-test.ts';
import { transportOf } from '../support/real-api/transport-of.ts';

/** Printed where no real API server is found. */
const SUITE = 'recorded lives through an API server';
const copies = join(import.meta.dirname, '../golden/lifecycle');

/** A few short lives; `npm run golden -- --via api` plays all. */
const RIGHT = ['never-exit1', 'delete-grace0-force', 'static-create-delete'];

function casesIn(dir: string): string {
  for (const name of RIGHT) cpSync(join(copies, `${name}.json`), join(dir, `${name}.json`));
  const text = readFileSync(join(copies, 'never-exit1.json'), 'utf8').replaceAll('never-exit1', 'wrong');
  writeFileSync(join(dir, 'wrong.json'), text.replaceAll('terminated/Error/1', 'terminated/Error/2'));
  writeFileSync(join(dir, 'malformed.json'), '{"actions": [], "expected": []}');
  return dir;
}

describe('recorded lives through an API server', () => {
  it('are as recorded, wrong recordings are refused, and no node is left in the cluster', async () => {
    const dir = casesIn(mkdtempSync(join(tmpdir(), 'hv-lives-')));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const cluster = await startApiServer(SUITE);
    onTestFinished(() => cluster.close());
    const { kubeconfig } = cluster;
    const outcomes: CaseOutcome[] = [];
    {
      await using server = await openApi({ kind: 'given', kubeconfig });
      await playViaApi(findCases(dir), { server, profile: 'compact', report: (outcome) => outcomes.push(outcome) });
      // The node is the agent's, and a second one of that name is refused.
      await expect(openApi({ kind: 'given', kubeconfig })).rejects.toThrow(`already has a node ${NODE}`);
    }
    const results = Object.fromEntries(outcomes.map(({ name, result }) => [name, result]));
    expect(results).toEqual({
      ...Object.fromEntries(RIGHT.map((name) => [name, 'pass'])),
      wrong: 'fail',
      malformed: 'malformed',
    });
    const api = transportOf(kubeconfig);
    onTestFinished(() => api.close());
    const node = await api.call({ verb: 'get', path: `/api/v1/nodes/${NODE}`, priority: 'object' }, 10_000);
    expect(node).toMatchObject({ ok: false, fault: { code: 404 } });
  }, 120_000);

  it('cannot be played where no API server answers', async () => {
    const cluster = await startApiServer(SUITE);
    const text = readFileSync(cluster.kubeconfig, 'utf8');
    await cluster.close();
    const file = join(mkdtempSync(join(tmpdir(), 'hv-lives-')), 'kubeconfig');
    writeFileSync(file, text);
    onTestFinished(() => rmSync(join(file, '..'), { recursive: true, force: true }));
    await expect(openApi({ kind: 'given', kubeconfig: file })).rejects.toThrow(`get /api/v1/nodes/${NODE}`);
  }, 60_000);
});
