import { describe, expect, it } from 'vitest';
import { tuneKernel } from '../../src/host/kernel-tunables.ts';

const AS_IT_SHOULD_BE = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

function kernel(given: Readonly<Record<string, string | undefined>>, locked: readonly string[] = []) {
  const files = new Map<string, string>();
  for (const [name, value] of Object.entries({ ...AS_IT_SHOULD_BE, ...given })) {
    if (value !== undefined) files.set(`/proc/sys/${name}`, `${value}\n`);
  }
  const written: string[] = [];
  return {
    written,
    read: (path: string) => files.get(path),
    write(path: string, text: string) {
      if (locked.some((name) => path.endsWith(name))) throw new Error('EROFS: read-only file system');
      written.push(`${path}=${text}`);
    },
  };
}

describe('the kernel parameters of a node', () => {
  it('are not changed when they are right', () => {
    const host = kernel({});
    expect(tuneKernel(host, { protect: false })).toEqual({ problems: [], warnings: [], changed: [] });
    expect(tuneKernel(host, { protect: true })).toEqual({ problems: [], warnings: [], changed: [] });
    expect(host.written).toEqual([]);
  });

  it('are set when they differ', () => {
    const host = kernel({ 'vm/overcommit_memory': '0', 'kernel/panic': '0' });
    expect(tuneKernel(host, { protect: false }).changed).toEqual(['vm/overcommit_memory', 'kernel/panic']);
    expect(host.written).toEqual(['/proc/sys/vm/overcommit_memory=1', '/proc/sys/kernel/panic=10']);
  });

  it('are not changed when they are protected: every difference is reported', () => {
    const host = kernel({ 'vm/overcommit_memory': '0', 'kernel/panic_on_oops': '0' });
    expect(tuneKernel(host, { protect: true }).problems).toEqual([
      'invalid kernel flag: vm/overcommit_memory, expected value: 1, actual value: 0',
      'invalid kernel flag: kernel/panic_on_oops, expected value: 1, actual value: 0',
    ]);
    expect(host.written).toEqual([]);
  });

  it('may stay unchanged when they cannot be set, or do not exist', () => {
    const host = kernel({ 'kernel/panic': '0', 'vm/panic_on_oom': '1', 'kernel/keys/root_maxkeys': undefined }, [
      'kernel/panic',
    ]);
    expect(tuneKernel(host, { protect: false })).toEqual({
      problems: [],
      warnings: ['kernel/panic stays 0, and should be 10: EROFS: read-only file system'],
      changed: ['vm/panic_on_oom'],
    });
  });
});
