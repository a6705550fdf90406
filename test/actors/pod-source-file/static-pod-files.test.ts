import { describe, expect, it } from 'vitest';
import type { ParseOutcome } from '../../../actors/job-pool/protocol.ts';
import { StaticPodFiles } from '../../../actors/pod-source-file/static-pod-files.ts';
import { pod } from '../../pod/pods.ts';

/** The content of a file: `name#uid` of a pod, or a problem in words. */
function outcomeOf(path: string, content: string, fault: 'malformed' | 'unreadable' = 'malformed'): ParseOutcome {
  const [name = '', uid] = content.split('#');
  if (uid === undefined) return { path, ok: false, fault, problem: content, problems: [] };
  return { path, ok: true, pod: pod({ metadata: { name, uid } }), sizeBytes: 1 };
}

/** A folder that is scanned after each change; the signature of a file is its content. */
class Folder {
  readonly state = new StaticPodFiles();
  readonly files = new Map<string, string>();
  warnings: readonly string[] = [];

  /** Writes files (`undefined` removes a file), and returns the resulting report. */
  write(changes: Readonly<Record<string, string | undefined>>): readonly string[] {
    for (const [file, content] of Object.entries(changes)) {
      if (content === undefined) this.files.delete(file);
      else this.files.set(file, content);
    }
    return this.look();
  }

  look(): readonly string[] {
    this.state.removed(this.state.missingFrom(this.files));
    const outcomes = this.state.toParse(this.files).map((file) => outcomeOf(file, this.files.get(file) ?? ''));
    this.warnings = this.state.parsed(outcomes, this.files).map(({ file, problem }) => `${file}: ${problem}`);
    return this.told();
  }

  told(): readonly string[] {
    const { set, gone } = this.state.changes();
    return [...gone.map((uid) => `-${uid}`), ...set.map(({ metadata }) => `+${metadata.uid}`)];
  }
}

const holding = (files: Readonly<Record<string, string>>): Folder => {
  const folder = new Folder();
  folder.write(files);
  return folder;
};

describe('the static pod files', () => {
  it.each([
    { rule: 'added', before: {}, change: { a: 'web#1' }, told: ['+1'] },
    { rule: 'removed', before: { a: 'web#1' }, change: { a: undefined }, told: ['-1'] },
    {
      rule: 'edited: another pod of the same name',
      before: { a: 'web#1' },
      change: { a: 'web#2' },
      told: ['-1', '+2'],
    },
    { rule: 'edited under an explicit UID', before: { a: 'web#1' }, change: { a: 'shop#1' }, told: ['-1', '+1'] },
    { rule: 'renamed', before: { a: 'web#1' }, change: { a: undefined, b: 'web#2' }, told: ['-1', '+2'] },
    {
      rule: 'renamed under an explicit UID: the pod ends and starts again',
      before: { a: 'web#1' },
      change: { a: undefined, b: 'web#1' },
      told: ['-1', '+1'],
    },
    {
      rule: 'removed, and a second file has the same pod: the pod ends and starts again',
      before: { a: 'web#1', b: 'web#1' },
      change: { a: undefined },
      told: ['-1', '+1'],
    },
    { rule: 'broken: the last good pod stays', before: { a: 'web#1' }, change: { a: 'half written' }, told: [] },
    { rule: 'not touched', before: { a: 'web#1' }, change: {}, told: [] },
    { rule: 'a second pod of the same name is ignored', before: { a: 'web#1' }, change: { b: 'web#2' }, told: [] },
    {
      rule: 'a file that sorts earlier takes over',
      before: { b: 'web#2' },
      change: { a: 'web#1' },
      told: ['-2', '+1'],
    },
    {
      rule: 'the second takes over when the first is removed',
      before: { a: 'web#1', b: 'web#2' },
      change: { a: undefined },
      told: ['-1', '+2'],
    },
    {
      rule: 'the second takes over when the first becomes another pod',
      before: { a: 'web#1', b: 'web#2' },
      change: { a: 'shop#3' },
      told: ['-1', '+2', '+3'],
    },
    { rule: 'the second is removed', before: { a: 'web#1', b: 'web#2' }, change: { b: undefined }, told: [] },
  ])('$rule', ({ before, change, told }) => {
    const folder = holding(before);
    expect([...folder.write(change)].sort()).toEqual([...told].sort());
    expect(folder.told()).toEqual([]);
  });

  it('a removed broken file removes its pod', () => {
    const folder = holding({ a: 'web#1' });
    folder.write({ a: 'broken' });
    expect(folder.write({ a: undefined })).toEqual(['-1']);
  });

  it('a repaired file gives its new pod', () => {
    const folder = holding({ a: 'web#1' });
    folder.write({ a: 'broken' });
    expect(folder.write({ a: 'web#2' })).toEqual(['-1', '+2']);
  });

  it("reports a file's problem once, and again when it is another problem", () => {
    const folder = holding({ a: 'no kind' });
    expect(folder.warnings).toEqual(['a: no kind']);
    folder.look();
    expect(folder.warnings).toEqual([]);
    folder.write({ a: 'no name' });
    expect(folder.warnings).toEqual(['a: no name']);
  });

  it.each([
    { rule: 'the later one', before: { a: 'web#1' }, change: { b: 'web#2' }, ignored: 'b' },
    { rule: 'the displaced file', before: { b: 'web#2' }, change: { a: 'web#1' }, ignored: 'b' },
  ])('reports the unused one of two files with the same pod: $rule', ({ before, change, ignored }) => {
    const folder = holding(before);
    folder.write(change);
    expect(folder.warnings).toEqual([`${ignored}: pod shop/web is already defined in a; this file is ignored`]);
  });

  it('reads a file again only when it has changed', () => {
    const folder = holding({ a: 'web#1', b: 'broken' });
    expect(folder.state.toParse(folder.files)).toEqual([]);
    folder.files.set('b', 'web#2');
    expect(folder.state.toParse(folder.files)).toEqual(['b']);
  });

  it('reads an unreadable file again even if it looks unchanged', () => {
    const folder = new Folder();
    folder.files.set('a', 'same');
    const outcome = outcomeOf('a', 'permission denied', 'unreadable');
    expect(folder.state.parsed([outcome], folder.files)).toHaveLength(1);
    expect(folder.state.toParse(folder.files)).toEqual(['a']);
    expect(folder.state.parsed([outcome], folder.files)).toEqual([]);
  });

  it('reports everything again to a listener that has lost it', () => {
    const folder = holding({ a: 'web#1', b: 'shop#2', c: 'web#3' });
    folder.write({ b: undefined });
    folder.state.forgetReported();
    expect(folder.told()).toEqual(['+1']);
  });

  it('reports only the one change among many files', () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, `pod-${index}#${index}`]));
    const folder = holding(many);
    expect(folder.write({ f7: 'pod-7#new' })).toEqual(['-7', '+new']);
  });
});
