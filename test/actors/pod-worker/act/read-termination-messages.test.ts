import { describe, expect, it } from 'vitest';
import { TerminationMessages } from '../../../../actors/pod-worker/act/read-termination-messages.ts';
import { lastLogLines, terminationFileName, wholeMessage } from '../../../../src/pod/status/termination-message.ts';
import type { RuntimeContainer } from '../../../../src/pod/values/runtime-pod-status.ts';
import { exited, record, runtime } from '../../../pod/pods.ts';
import { FakePodFiles } from '../../../support/fake-pod-files.ts';

const PATH = 'io.kubernetes.container.terminationMessagePath';
const POLICY = 'io.kubernetes.container.terminationMessagePolicy';
const file = `/root/pods/uid-1/containers/main/${terminationFileName('uid-1', 'main', 0)}`;
const withPath = { [PATH]: '/dev/termination-log', [POLICY]: 'File' };
const withLogs = { ...withPath, [POLICY]: 'FallbackToLogsOnError' };
const logLine = (text: string): string => `2030-01-02T03:04:05.000000000Z stdout F ${text}\n`;

function wordsOf(container: RuntimeContainer, onDisk: Readonly<Record<string, string>>): string {
  const files = new FakePodFiles();
  for (const [path, text] of Object.entries(onDisk)) files.files.set(path, { text, mode: 0o644 });
  const words = new TerminationMessages({ uid: 'uid-1', files, node: { rootDir: '/root', podLogsDir: '/logs' } });
  const status = runtime({ containers: [container] });
  return words.addTo({ status, observedAt: 1, revision: 1 }).status.containers[0]?.message ?? '';
}

describe('the termination message of a container', () => {
  it.each([
    {
      rule: 'is the content of its file',
      container: exited('main', 1, { annotations: withPath }),
      disk: { [file]: 'out of cheese' },
      words: 'out of cheese',
    },
    {
      rule: 'follows the message of the runtime',
      container: exited('main', 1, { annotations: withPath, message: 'killed' }),
      disk: { [file]: 'why?' },
      words: 'killed: why?',
    },
    {
      rule: 'is cut to its last 4096 bytes',
      container: exited('main', 0, { annotations: withPath }),
      disk: { [file]: `x${'y'.repeat(4096)}` },
      words: 'y'.repeat(4096),
    },
    {
      rule: 'is empty without a termination message path',
      container: exited('main', 1, { annotations: {} }),
      disk: { [file]: 'unheard' },
      words: '',
    },
    {
      rule: 'is empty while the container runs',
      container: record('main', 'running', { annotations: withPath }),
      disk: { [file]: 'not yet' },
      words: '',
    },
    {
      rule: 'of an earlier instance is not read for this instance',
      container: exited('main', 1, { attempt: 1, annotations: withPath }),
      disk: { [file]: 'first' },
      words: '',
    },
    {
      rule: 'is the end of the log with FallbackToLogsOnError, after a failure without a message',
      container: exited('main', 1, { annotations: withLogs, logPath: '/logs/log' }),
      disk: { [file]: '', '/logs/log': logLine('oh') + logLine('no') },
      words: 'oh\nno\n',
    },
    {
      rule: 'is not read from the log if the container wrote a message',
      container: exited('main', 1, { annotations: withLogs, logPath: '/logs/log' }),
      disk: { [file]: 'this', '/logs/log': logLine('that') },
      words: 'this',
    },
    {
      rule: 'is not read from the log if the container succeeded',
      container: exited('main', 0, { annotations: withLogs, logPath: '/logs/log' }),
      disk: { '/logs/log': logLine('fine') },
      words: '',
    },
    {
      rule: 'is not read from the log if the container never ran',
      container: exited('main', 1, { annotations: withLogs, logPath: '/logs/log', reason: 'ContainerCannotRun' }),
      disk: { '/logs/log': logLine('x') },
      words: '',
    },
    {
      rule: 'is not read from a log outside the pod logs, whatever path the runtime reports',
      container: exited('main', 1, { annotations: withLogs, logPath: '/logs/../etc/shadow' }),
      disk: { '/logs/../etc/shadow': logLine('root') },
      words: '',
    },
    {
      rule: 'is not read from a relative path',
      container: exited('main', 1, { annotations: withLogs, logPath: 'log' }),
      disk: { log: logLine('x') },
      words: '',
    },
  ])('$rule', ({ container, disk, words }) => {
    expect(wordsOf(container, disk as Readonly<Record<string, string>>)).toBe(words);
  });

  it('is read once, since an ended container writes nothing more', () => {
    const files = new FakePodFiles();
    files.files.set(file, { text: 'bye', mode: 0o666 });
    const words = new TerminationMessages({ uid: 'uid-1', files, node: { rootDir: '/root', podLogsDir: '/logs' } });
    const observed = {
      status: runtime({ containers: [exited('main', 0, { annotations: withPath })] }),
      observedAt: 1,
      revision: 1,
    };
    words.addTo(observed);
    files.files.set(file, { text: 'later', mode: 0o666 });
    expect(words.addTo(observed).status.containers[0]?.message).toBe('bye');
  });

  it('is absent from an observation without ended containers', () => {
    const words = new TerminationMessages({
      uid: 'uid-1',
      files: new FakePodFiles(),
      node: { rootDir: '/root', podLogsDir: '/logs' },
    });
    const observed = { status: runtime({ containers: [record('main')] }), observedAt: 1, revision: 1 };
    expect(words.addTo(observed)).toBe(observed);
  });
});

describe('the end of a log', () => {
  it('has at most 80 lines', () => {
    const lines = Array.from({ length: 100 }, (_, index) => logLine(`l${index}`)).join('');
    expect(lastLogLines(lines).split('\n')).toHaveLength(81);
  });

  it('has at most 2048 bytes', () => {
    expect(Buffer.byteLength(lastLogLines(logLine('z'.repeat(5_000))))).toBe(2048);
  });

  it('joins the parts of a long line and drops a truncated line', () => {
    expect(lastLogLines(`half a line\n2030 stderr P one \n2030 stderr F two\n`)).toBe('one two\n');
  });
});

it('is in a file with eight hexadecimal digits per instance', () => {
  const names = [0, 1, 2].map((count) => terminationFileName('uid-1', 'main', count));
  expect(new Set([...names, terminationFileName('uid-2', 'main', 0)]).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{8}$/);
});

it.each([
  { runtime: '', own: '', whole: '' },
  { runtime: 'a', own: '', whole: 'a' },
  { runtime: '', own: 'b', whole: 'b' },
  { runtime: 'a', own: 'b', whole: 'a: b' },
])(
  'joins the message "$runtime" of the runtime and "$own" of the container as "$whole"',
  ({ runtime: fromRuntime, own, whole }) => {
    expect(wholeMessage(fromRuntime, own)).toBe(whole);
  },
);
