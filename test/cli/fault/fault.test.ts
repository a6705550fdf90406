import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/actor/log.ts';
import type { AdminBackend } from '../../../src/cli/admin/admin-backend.ts';
import { serveAdmin } from '../../../src/cli/admin/serve-admin.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { apiFaultFrom, criFaultFrom } from '../../../src/cli/fault/fault-rules.ts';
import { traceLines } from '../../../src/cli/trace/trace.ts';
import { FaultRegistry } from '../../../src/faults/fault-registry.ts';
import { fakeBackend } from '../admin/fake-backend.ts';
import { nodeWorld } from '../../faults/node-world.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { fakeTerminal } from '../fake-terminal.ts';
import { plainMachine } from '../run/plain-machine.ts';

let rootDir: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'hivelet-fault-'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(rootDir, { recursive: true });
});

/** Runs one command line against the agent of this test. */
async function hivelet(...args: string[]) {
  const terminal = fakeTerminal({ columns: () => 200 });
  let code: number | undefined;
  await runProgram({
    terminal,
    clock: manualClock(),
    random: () => 0,
    startAgent: () => Promise.reject(new Error('an agent was started')),
    machine: plainMachine,
    mainScript: 'main.ts',
    args: [...args, '--root-dir', rootDir],
    leave: (given) => (code = given),
  });
  return { code, out: terminal.written.join(''), err: terminal.complaints.join('') };
}

/** An agent that has no threads, but takes plans as a real one does. */
async function serve({ faultInjection = true }: { faultInjection?: boolean } = {}) {
  const registry = new FaultRegistry({
    world: nodeWorld,
    clock: manualClock(),
    log: silentLog,
    distribute: () => Promise.resolve(),
    crashActor: () => Promise.resolve(true),
    addresses: () => Promise.resolve([]),
    resolve: (name) => Promise.resolve(name === 'pod-worker/shop/web' ? 'pod-worker/u1' : undefined),
  });
  const backend: Partial<AdminBackend> = {
    applyFaults: (plan) => registry.apply(plan),
    listFaults: async () => registry.list(),
    clearFaults: (id) => registry.clear(id),
    crashActor: async (address) => address === 'pod-worker/shop/web',
  };
  const server = await serveAdmin({ rootDir, faultInjection, identity: { pid: 1, version: '1' } });
  closing.push(() => server.close());
  server.open(fakeBackend(backend));
  return registry;
}

const anyOf = (rule: object) => expect.objectContaining(rule) as object;

describe('hivelet fault', () => {
  it.each([
    { args: ['list'] },
    { args: ['clear'] },
    { args: ['drop', 'pleg'] },
    { args: ['kill', 'actor', 'pleg'] },
    { args: ['kill', 'thread', 'pleg'] },
  ])('$args is rejected by an agent without fault injection', async ({ args }) => {
    await serve({ faultInjection: false });
    expect(await hivelet('fault', ...args)).toEqual({
      code: 1,
      out: '',
      err: 'the agent runs without --enable-fault-injection, so no faults can be injected\n',
    });
  });

  it('applies the plan of a file, shows it, and removes it', async () => {
    await serve();
    const file = join(import.meta.dirname, '../../faults/plans/every-seam.yaml');
    const { out } = await hivelet('fault', 'apply', '-f', file);
    expect(out).toBe('plan 1 applied: 6 rules, for 5m; hivelet fault clear 1 removes it\n');
    const list = (await hivelet('fault', 'list')).out.split('\n');
    expect(list[0]).toMatch(/^PLAN +RULE +MATCH +WHEN +ACTION +MATCHED +ACTED$/);
    expect(list[1]).toMatch(/^1 +1 +mailbox actor=pod-worker message=sync-pod +rate=0.2 atMost=10 +crash +0 +0$/);
    expect(list[7]).toBe('plan 1: seed 42, 0 of at most 20 actors, 0 of at most 1 threads, ends in 5m');
    expect((await hivelet('fault', 'clear', '2')).err).toContain('there is no plan 2');
    expect((await hivelet('fault', 'clear', '1')).out).toBe('1 plan was removed\n');
    expect((await hivelet('fault', 'list')).out).toBe('no faults are applied\n');
  });

  it('reports every problem of a plan on its own line, and applies nothing', async () => {
    const registry = await serve();
    const file = join(rootDir, 'plan.yaml');
    writeFileSync(
      file,
      'rules:\n- { match: { actor: plug }, action: crash }\n- { match: { actor: pleg }, when: { rate: 2 }, action: crash, on: 1 }\n',
    );
    const { code, err } = await hivelet('fault', 'apply', '-f', file);
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      'rule 1, match.actor: "plug" matches no kind of actor; did you mean "pleg"?',
      'rule 2, on: is not a field; known are match, when, action',
      'rule 2, when.rate: 2 must be a number from 0 to 1',
      'nothing was applied',
    ]);
    expect(registry.list()).toEqual([]);
  });

  it.each([
    { args: ['drop', 'pleg'], rule: { match: { at: 'mailbox', actor: ['pleg'] }, when: {}, action: { type: 'drop' } } },
    {
      args: ['drop', 'pod-worker/shop/web:sync-pod', '--at-most', '2'],
      rule: { match: { at: 'mailbox', actor: ['pod-worker/u1'], message: 'sync-pod' }, when: { atMost: 2 } },
    },
    {
      args: ['delay', 'pleg:relist', '1.5s', '--rate', '25%'],
      rule: { when: { rate: 0.25 }, action: { type: 'delay', delayMs: 1_500 } },
    },
    { args: ['hang', 'actor', 'pleg', '--for', '5s'], rule: { action: { type: 'hang', forMs: 5_000 } } },
    {
      args: ['hang', 'thread', 'pods-0', '--for', '5s'],
      rule: { match: { at: 'thread', thread: 'pods-0' }, action: { type: 'hang-thread', forMs: 5_000 } },
    },
    {
      args: ['cri', 'StartContainer=UNAVAILABLE@10%'],
      rule: {
        match: { at: 'cri', criMethod: 'StartContainer' },
        when: { rate: 0.1 },
        action: { type: 'error', code: 'UNAVAILABLE' },
      },
    },
  ])('$args is a plan of one rule', async ({ args, rule }) => {
    const registry = await serve();
    const { err } = await hivelet('fault', ...args);
    expect(err).toBe('');
    expect(registry.list()).toEqual([anyOf({ id: 1, rules: [anyOf(rule)] })]);
  });

  it('crashes the actor of a named pod', async () => {
    await serve();
    expect((await hivelet('fault', 'kill', 'actor', 'pod-worker/shop/web')).out).toBe(
      'crashed actor pod-worker/shop/web\n',
    );
    expect((await hivelet('fault', 'kill', 'actor', 'pod-worker/shop/nobody')).err).toContain('there is no actor');
    expect((await hivelet('fault', 'kill', 'thread', 'pods-0')).out).toBe('made thread pods-0 fail: exit\n');
  });

  it.each([
    { args: ['cri', 'StartContainer'], says: 'is not METHOD=FAULT' },
    { args: ['cri', 'StartContainr=drop'], says: 'did you mean "StartContainer"?' },
    { args: ['cri', 'StartContainer=UNAVALABLE'], says: 'action.code' },
    { args: ['drop', 'pleg:'], says: 'is not ACTOR or ACTOR:MESSAGE' },
    { args: ['drop', 'pleg', '--rate', 'often'], says: 'often is not a rate such as 10% or 0.1' },
    { args: ['drop', 'pleg', '--rate', '110%'], says: 'when.rate: 1.1 must be' },
    { args: ['delay', 'pleg', 'long'], says: 'long is not a duration such as' },
    { args: ['hang', 'thread', 'main'], says: '"main" is not a thread that faults can be injected into' },
    { args: ['clear', 'all'], says: 'all is not a plan number' },
    { args: ['apply', '-f', '/does/not/exist'], says: 'cannot read /does/not/exist: ' },
  ])('rejects $args with the reason', async ({ args, says }) => {
    const registry = await serve();
    const { code, err } = await hivelet('fault', ...args);
    expect(code).toBe(1);
    expect(err).toContain(says);
    expect(registry.list()).toEqual([]);
  });
});

describe('a fault of a CRI method', () => {
  it.each([
    ['PullImage=NOT_FOUND', { action: { type: 'error', code: 'NOT_FOUND' }, rate: undefined }],
    ['PullImage=1m30s@0.5', { action: { type: 'delay', delayMs: 90_000 }, rate: '0.5' }],
    ['PullImage=500ms', { action: { type: 'delay', delayMs: 500 } }],
    ['PullImage=lose-answer', { action: { type: 'drop', lose: 'answer' } }],
    ['PullImage=hang@5%', { action: { type: 'hang' }, rate: '5%' }],
  ])('is read from %s', (text, fault) => {
    expect(criFaultFrom(text)).toMatchObject({ match: { criMethod: 'PullImage' }, ...fault });
  });
});

describe('hivelet trace', () => {
  it('shows the timeline of a pod', () => {
    const step = { trace: 'u1', thread: 'node', from: '', to: 'pod-worker/u1', message: 'sync-pod', question: false };
    const steps = [
      { ...step, at: 1_000, waitedMs: 0.5, handledMs: 2 },
      {
        ...step,
        at: 1_012.5,
        from: 'pod-worker/u1',
        to: 'pleg',
        message: 'pod-status',
        about: 'ContainerStatus',
        question: true,
        waitedMs: 0,
        handledMs: 11,
      },
    ];
    expect(traceLines({ podUid: 'u1', steps })).toEqual([
      'AT (ms)   WAITED   HANDLED   THREAD   FROM         TO           MESSAGE',
      '+0.00     0.50     2.00      node     -            pod-worker   sync-pod',
      '+12.5     0.00     11.0      node     pod-worker   pleg         pod-status? ContainerStatus',
    ]);
  });

  it('asks for a pod by its name, in the namespace default if none is named', async () => {
    await serve();
    expect((await hivelet('trace', 'pod', 'web')).out).toBe('nothing is remembered about this pod\n');
    expect((await hivelet('trace', 'pod', 'shop/db')).err).toContain('there is no pod shop/db');
    expect((await hivelet('trace', 'pod', 'a/b/c')).err).toContain('a/b/c is not NAMESPACE/NAME');
  });
});

describe('a fault of calls to the API server', () => {
  it.each([
    {
      text: 'GET pods=429@10%',
      match: { at: 'api', apiVerb: 'GET', apiResource: 'pods' },
      action: { type: 'error', code: '429' },
      rate: '10%',
    },
    { text: 'watch=hang', match: { at: 'api', apiVerb: 'watch' }, action: { type: 'hang' } },
    { text: '* leases=2s', match: { at: 'api', apiResource: 'leases' }, action: { type: 'delay', delayMs: 2_000 } },
    {
      text: 'patch pods/status=lose-answer',
      match: { at: 'api', apiVerb: 'patch', apiResource: 'pods/status' },
      action: { type: 'drop', lose: 'answer' },
    },
  ])('is read from $text', ({ text, ...fault }) => {
    expect(apiFaultFrom(text)).toMatchObject(fault);
  });

  it('is rejected when it is written differently', () => {
    expect(() => apiFaultFrom('pods')).toThrow('is not VERB RESOURCE=FAULT');
  });
});
