import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findCases } from './find-cases.ts';
import { runCase } from './run-case.ts';

const copies = join(import.meta.dirname, '../golden');
const folder = mkdtempSync(join(tmpdir(), 'hv-cases-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runner = (...options: readonly string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), ...options], { encoding: 'utf8' });

let made = 0;

/** Copies a recorded case to another folder, without its environment, with one file changed. */
function criCopy(name: string, file: string, change: (text: string) => string): string {
  const copy = join(folder, `dir-${++made}`, name);
  cpSync(join(copies, 'cri', name), copy, { recursive: true });
  writeFileSync(join(copy, file), change(readFileSync(join(copy, file), 'utf8')));
  return copy;
}

function lifecycleCopy(name: string, change: (text: string) => string): string {
  const dir = join(folder, `dir-${++made}`);
  mkdirSync(dir);
  writeFileSync(join(dir, `${name}.json`), change(readFileSync(join(copies, 'lifecycle', `${name}.json`), 'utf8')));
  return dir;
}

const outcomeOf = async (path: string) => {
  const [found] = findCases(path);
  if (found === undefined) throw new Error('there is no case');
  return runCase(found);
};

describe('the runner of recorded cases', () => {
  it('finds both kinds of cases in a tree of folders, in a single folder, and by the path of the case', () => {
    const all = findCases(copies);
    expect(new Set(all.map(({ kind }) => kind))).toEqual(new Set(['cri', 'lifecycle']));
    const counted = ['cri', 'lifecycle', 'lifecycle-faults', 'invented'].map(
      (name) => findCases(join(copies, name)).length,
    );
    expect(counted.reduce((sum, count) => sum + count)).toBe(all.length);
    expect(findCases(join(copies, 'cri/env-key-refs'))).toMatchObject([{ kind: 'cri', name: 'env-key-refs' }]);
    expect(findCases(join(copies, 'lifecycle/always-exit0.json'))).toMatchObject([{ kind: 'lifecycle' }]);
  });

  it('works without an environment beside the cases', async () => {
    expect((await outcomeOf(criCopy('env-key-refs', 'expected.json', (text) => text))).result).toBe('pass');
  });

  it.each([
    { name: 'env-key-refs', from: '"phase": "Running"', to: '"phase": "Pending"', where: 'status.phase' },
    { name: 'env-key-refs', from: 'CreateContainer c', to: 'CreateContainer d', where: 'sequence[2]' },
    {
      name: 'hooks-sleep-http',
      from: 'StopContainer timeout 4',
      to: 'StopContainer timeout 5',
      where: 'teardown.http[0]',
    },
    { name: 'host-aliases', from: 'localhost', to: 'elsewhere', where: 'files[0].content' },
    { name: 'static-basic', from: '"note": "1"', to: '"note": "2"', where: 'runPodSandbox[0].config.annotations.note' },
    { name: 'ns-hostpid-only', from: '"pid": "NODE"', to: '"pid": "CONTAINER"', where: 'namespace_options.pid' },
  ])('names the place where $name differs from $to', async ({ name, from, to, where }) => {
    const outcome = await outcomeOf(criCopy(name, 'expected.json', (text) => text.replace(from, () => to)));
    expect(outcome.result).toBe('fail');
    expect(outcome.differences[0]?.where).toContain(where);
  });

  it('names the first call that differs in a life of a pod', async () => {
    const outcome = await outcomeOf(lifecycleCopy('prestop-ok', (text) => text.replace('grace=', 'grace=1')));
    expect(outcome).toMatchObject({ result: 'fail' });
    expect(outcome.differences[0]?.where).toMatch(/call \d+ was not to come: StopContainer/);
  });

  it.each([
    { what: 'a status', name: 'create-error-twice', from: /"t":\s*\[12\.5,\s*14\.6\]/, where: /is late, at/ },
    {
      what: 'a call',
      name: 'create-error-twice',
      from: /"t":\s*\[12\.4,\s*14\.5\]/,
      where: /call 3 is late: CreateContainer/,
    },
  ])('reports $what that is later than recorded', async ({ name, from, where }) => {
    const outcome = await outcomeOf(lifecycleCopy(name, (text) => text.replace(from, '"t":[0.5,0.6]')));
    expect(outcome.differences[0]?.where).toMatch(where);
  });

  it('reports a deletion that ends before its grace period', async () => {
    const outcome = await outcomeOf(
      lifecycleCopy('delete-term-ignored', (text) => text.replace(/("deleteToGone":\{"[^"]*":\[)[^\]]*/, '$140,41')),
    );
    expect(outcome.differences[0]?.where).toMatch(/from delete to gone: .* 40 to 41 s was recorded/);
  });

  it('reports a probe that does not begin at its recorded time', async () => {
    const outcome = await outcomeOf(
      lifecycleCopy('startup-then-readiness', (text) => text.replace(/"first":\s*\[4,\s*4\]/, '"first": [40, 40]')),
    );
    expect(outcome.differences[0]?.where).toMatch(/to the first main#0 probe-r: the 1\. delay is \d\.\d s, 40 to 40 s/);
  });

  it.each([
    { change: (text: string) => text.slice(0, 40), told: /expected\.json: the file: / },
    { change: () => '{"sequence": "RunPodSandbox"}', told: /expected\.json: sequence: "RunPodSandbox" is not a list/ },
    { change: () => '{"squence": []}', told: /expected\.json: squence: \[\] is not known here/ },
  ])('names file, field and value of a malformed case: $told', async ({ change, told }) => {
    const outcome = await outcomeOf(criCopy('env-key-refs', 'expected.json', change));
    expect(outcome.result).toBe('malformed');
    expect(outcome.differences[0]?.where).toMatch(told);
  });

  it.each([
    {
      change: () => '{"expected": {}, "actions": [{"jump": 1}]}',
      told: /actions\[0\]: \{"jump":1\} is not known here/,
    },
    {
      change: () => '{"expected": {}, "kubelet": {"syncFrequency": "often"}}',
      told: /kubelet\.syncFrequency: "often"/,
    },
    { change: () => '{"expected": {}, "script": {"pods": {"a": {"sandbox": "no"}}}}', told: /script: .*sandbox.*"no"/ },
    { change: () => '{"actions": []}', told: /expected: undefined is not an object/ },
    ...(
      [
        [
          '{"actions": [{"wait": {"pod": "a", "colour": "red"}}]}',
          /actions\[0\]\.wait\.colour: "red" is not known here/,
        ],
        ['{"actions": [{"wait": {"phase": "Running"}}]}', /actions\[0\]\.wait\.pod: undefined is not a name/],
        ['{"actions": [{"cri": {"op": "explode", "pod": "a"}}]}', /actions\[0\]\.cri\.op: "explode" is not one of/],
        ['{"actions": [{"kubelet": "start"}]}', /actions\[0\]\.kubelet: "start" is not kill, and it runs/],
        ['{"manifest": [null]}', /manifest\[0\]: null is not an object/],
        ['{"static": {"a.yaml": "text"}}', /static\.a\.yaml: "text" is not an object/],
        ['{"expected": {"calls": {"a": [{"cal": "x"}]}}}', /expected\.calls\.a\[0\]: .* is neither a call nor lanes/],
        ['{"kubelet": {"maxPod": 1}}', /kubelet\.maxPod: "maxPod" is not a known field/],
        ['{"kubelet": {"maxPods": "many"}}', /kubelet\.maxPods: "many" is not an integer/],
        [
          '{"expected": {"status": {"a": [{"conditions": {"Ready": 1}}]}}}',
          /expected\.status\.a\[0\]\.conditions\.Ready: 1/,
        ],
        [
          '{"expected": {"status": {"a": [{"init": {"i": "running"}}]}}}',
          /expected\.status\.a\[0\]\.init\.i: "running"/,
        ],
        [
          '{"expected": {"probes": {"a": [{"probe": "c#0 p", "first": 1}]}}}',
          /expected\.probes\.a\[0\]\.first: 1 is not/,
        ],
        ['{"expected": {"events": {"a": [{"reason": "x"}]}}}', /expected\.events\.a\[0\]: .* has no type/],
        [
          '{"expected": {"timing": {"startToStart": {"a/b": [1]}}}}',
          /expected\.timing\.startToStart\.a\/b: \[1\] is not/,
        ],
      ] as const
    ).map(([text, told]) => ({ change: () => text.replace(/^\{(?!"expected)/, '{"expected": {}, '), told })),
  ])('names the problem in a malformed life of a pod: $told', async ({ change, told }) => {
    const outcome = await outcomeOf(lifecycleCopy('prestop-ok', change));
    expect(outcome.result).toBe('malformed');
    expect(outcome.differences[0]?.where).toMatch(told);
  });

  it('exits with 0 if all cases match, 1 on a difference, 2 on bad usage or a malformed case, after playing the others', () => {
    expect(runner('--dir', join(copies, 'cri/env-key-refs')).status).toBe(0);
    const differing = runner(
      '--json',
      '--dir',
      lifecycleCopy('prestop-ok', (text) => text.replace('grace=', 'grace=1')),
    );
    expect(differing.status).toBe(1);
    expect(
      differing.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { name: 'prestop-ok', kind: 'lifecycle', result: 'fail' },
      { pass: 0, fail: 1, malformed: 0 },
    ]);
    const dir = lifecycleCopy('prestop-ok', (text) => text);
    writeFileSync(join(dir, 'broken.json'), '{');
    const mixed = runner('--dir', dir);
    expect(mixed.status).toBe(2);
    expect(mixed.stdout).toContain('ok   lifecycle prestop-ok');
    expect(mixed.stdout).toContain('1 as recorded, 0 not, 1 could not be read');
    expect(runner('--dir', join(folder, 'nowhere'))).toMatchObject({ status: 2 });
    expect(runner('--only', 'no-such-case')).toMatchObject({ status: 2 });
    expect(runner('--often')).toMatchObject({ status: 2 });
    // Six processes, one after the other.
  }, 60_000);

  it.each([
    { options: ['--kubeconfig', 'a'], told: '--kubeconfig needs --via api' },
    { options: ['--via', 'api', '--kubeconfig', 'nowhere'], told: '--kubeconfig nowhere: there is no such file' },
    { options: ['--via', 'api', '--only', 'env-key-refs'], told: 'plays lives of pods, and no chosen case is one' },
    { options: ['--via', 'api', '--faults', 'delay'], told: '--faults and --trace need --via simulation' },
  ])('says why it cannot play with $options', ({ options, told }) => {
    const { status, stderr } = runner(...options);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(told) as string });
  });
});
