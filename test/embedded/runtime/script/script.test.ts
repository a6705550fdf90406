import { describe, expect, it } from 'vitest';
import { parseOutcome } from '../../../../src/embedded/runtime/script/outcome.ts';
import {
  mergeScripts,
  parseScript,
  scriptedContainer,
  scriptedPod,
} from '../../../../src/embedded/runtime/script/script.ts';

describe('an outcome', () => {
  it.each([
    { place: 'answer', text: 'ok', outcome: { action: 'ok', delayMs: 0, text: '' } },
    { place: 'answer', text: 'ok@6s', outcome: { action: 'ok', delayMs: 6000, text: '' } },
    { place: 'answer', text: 'err:device busy', outcome: { action: 'err', delayMs: 0, text: 'device busy' } },
    {
      place: 'answer',
      text: 'err@100ms:RegistryUnavailable: connection reset',
      outcome: { action: 'err', delayMs: 100, text: 'RegistryUnavailable: connection reset' },
    },
    { place: 'run', text: 'run', outcome: { action: 'run', delayMs: 0, text: '' } },
    { place: 'run', text: '42@700ms', outcome: { action: 42, delayMs: 700, text: '' } },
    { place: 'run', text: '0@2s:two\nlines', outcome: { action: 0, delayMs: 2000, text: 'two\nlines' } },
    { place: 'stop', text: 'ignore', outcome: { action: 'ignore', delayMs: 0, text: '' } },
    { place: 'stop', text: '143@20ms', outcome: { action: 143, delayMs: 20, text: '' } },
    { place: 'exec', text: '1:no', outcome: { action: 1, delayMs: 0, text: 'no' } },
    { place: 'exec', text: 'err:shim is gone', outcome: { action: 'err', delayMs: 0, text: 'shim is gone' } },
    {
      place: 'run',
      text: { do: '137@1s', reason: 'OOMKilled', log: 'last words' },
      outcome: { action: 137, delayMs: 1000, text: '', reason: 'OOMKilled', log: 'last words' },
    },
    { place: 'answer', text: { do: 'ok', auth: 'u' }, outcome: { action: 'ok', delayMs: 0, text: '', auth: 'u' } },
    {
      place: 'answer',
      text: { do: 'err:no', leaves: 'created' },
      outcome: { action: 'err', delayMs: 0, text: 'no', leaves: 'created' },
    },
    { place: 'answer', text: { do: 'ok', die: '3s' }, outcome: { action: 'ok', delayMs: 0, text: '', dieMs: 3000 } },
    {
      place: 'answer',
      text: { do: 'err:down', code: 'Unavailable' },
      outcome: { action: 'err', delayMs: 0, text: 'down', code: 'Unavailable' },
    },
    {
      place: 'answer',
      text: { do: 'err', code: 14 },
      outcome: { action: 'err', delayMs: 0, text: '', code: 'Unavailable' },
    },
  ] as const)('$text of $place is understood', ({ place, text, outcome }) => {
    expect(parseOutcome('here', place, text)).toEqual(outcome);
  });
});

describe('a script', () => {
  it('may be empty', () => {
    expect(parseScript(undefined)).toEqual(parseScript({}));
  });

  it('may give one outcome in place of a list', () => {
    const script = parseScript({ pods: { web: { sandbox: 'err:no', containers: { main: { run: '1@1s' } } } } });
    expect(scriptedPod(script, 'web')?.sandbox).toEqual([{ action: 'err', delayMs: 0, text: 'no' }]);
    expect(scriptedContainer(script, 'web', 'main')?.run).toEqual([{ action: 1, delayMs: 1000, text: '' }]);
  });

  it('assigns command results by instance, by name or by age', () => {
    const exec = {
      plain: ['0', '1'],
      named: { by: 'name', results: ['0'] },
      aged: { by: 'age', ages: ['0s', '7s'], results: ['1', '0'] },
      single: { do: '3' },
    };
    const script = parseScript({ pods: { web: { containers: { main: { exec } } } } });
    expect(scriptedContainer(script, 'web', 'main')?.exec).toMatchObject({
      plain: { by: 'instance' },
      named: { by: 'name' },
      aged: { by: 'age', agesMs: [0, 7000] },
      single: { by: 'instance', results: [{ action: 3 }] },
    });
  });

  it('matches all pods and containers with *, except those with their own entry', () => {
    const script = parseScript({
      pods: {
        '*': { containers: { '*': { run: '1' }, side: { run: '2' } } },
        web: { containers: { main: { run: '3' } } },
      },
    });
    const code = (pod: string, container: string): unknown =>
      scriptedContainer(script, pod, container)?.run?.[0].action;
    expect([code('any', 'any'), code('any', 'side'), code('web', 'main'), code('web', 'side')]).toEqual([
      1,
      2,
      3,
      undefined,
    ]);
  });

  it('handles names that every JavaScript object inherits', () => {
    expect(scriptedPod(parseScript({}), 'constructor')).toBeUndefined();
  });

  it('replaces the entry of an earlier script for the same pod, and keeps other pods', () => {
    const earlier = parseScript({ pods: { a: { sandbox: 'ok' }, b: { sandbox: 'ok' } } });
    const merged = mergeScripts(earlier, parseScript({ pods: { b: { sandbox: 'err' } } }));
    expect([merged.pods['a']?.sandbox?.[0].action, merged.pods['b']?.sandbox?.[0].action]).toEqual(['ok', 'err']);
  });

  const main = (member: object): object => ({ pods: { web: { containers: { main: member } } } });
  const at = 'script.pods["web"].containers["main"]';
  it.each([
    { wrong: [], error: 'script: [] is not an object' },
    { wrong: { pod: {} }, error: 'script.pod: {} is not known (images, imageUsers, pods, logs)' },
    { wrong: { logs: 'loud' }, error: 'script.logs: "loud" is not "on" or "off"' },
    { wrong: { images: { 'a:1': [] } }, error: 'script.images["a:1"]: [] is not an outcome or a list of at least one' },
    { wrong: { images: { 'a:1': ['run'] } }, error: 'script.images["a:1"][0]: "run" is not an outcome' },
    { wrong: { imageUsers: { 'a:1': {} } }, error: 'script.imageUsers["a:1"]: {} is not a user name or uid' },
    { wrong: { pods: { web: { sandboxes: [] } } }, error: 'script.pods["web"].sandboxes: [] is not known' },
    { wrong: main({ started: 'ok' }), error: `${at}.started: "ok" is not known` },
    { wrong: main({ run: 'ok' }), error: `${at}.run: "ok" is not an outcome` },
    { wrong: main({ run: ['1', '256@1s'] }), error: `${at}.run[1]: "256@1s" is not an outcome` },
    { wrong: main({ run: '1@1m' }), error: `${at}.run: "1@1m" is not an outcome` },
    { wrong: main({ create: '1' }), error: `${at}.create: "1" is not an outcome` },
    { wrong: main({ stop: ['run'] }), error: `${at}.stop[0]: "run" is not an outcome` },
    { wrong: main({ start: [{ reason: 'x' }] }), error: `${at}.start[0].do: undefined is not an outcome` },
    { wrong: main({ run: [{ do: 'run', why: 1 }] }), error: `${at}.run[0].why: 1 is not a member of an outcome` },
    { wrong: main({ run: [{ do: 'run', log: 1 }] }), error: `${at}.run[0].log: 1 is not a string` },
    { wrong: main({ start: [{ do: 'err', code: 'Odd' }] }), error: `${at}.start[0].code: "Odd" is not a gRPC code` },
    { wrong: main({ exec: { cmd: { by: 'luck', results: ['0'] } } }), error: `${at}.exec["cmd"].by: "luck" is not` },
    {
      wrong: main({ exec: { cmd: { by: 'age', ages: ['0s'], results: ['0', '1'] } } }),
      error: `${at}.exec["cmd"].ages: ["0s"] is not a list of 2 durations`,
    },
    { wrong: main({ usage: { memoryBytes: -1 } }), error: `${at}.usage.memoryBytes: -1 is not a whole number` },
  ])('that is invalid is rejected: $error', ({ wrong, error }) => {
    expect(() => parseScript(wrong)).toThrow(error);
  });
});
