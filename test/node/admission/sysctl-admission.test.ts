import { describe, expect, it } from 'vitest';
import { sysctlRejection } from '../../../src/node/admission/sysctl-admission.ts';
import { pod } from '../../pod/pods.ts';

const setting = (name: string, spec: Parameters<typeof pod>[0] = {}) =>
  pod({ ...spec, securityContext: { sysctls: [{ name, value: '1' }] } });

describe('a pod that sets kernel parameters', () => {
  it.each([
    { rule: 'may set a safe sysctl', of: setting('net.ipv4.tcp_syncookies') },
    { rule: 'may write a sysctl with slashes', of: setting('net/ipv4/tcp_syncookies') },
    { rule: 'may set a sysctl that the node allows', of: setting('kernel.msgmax'), allowed: ['kernel.msg*'] },
    {
      rule: 'may set a sysctl that is allowed by name',
      of: setting('net.core.somaxconn'),
      allowed: ['net.core.somaxconn'],
    },
    { rule: 'may set sysctls of its own IPC namespace', of: setting('kernel.shm_rmid_forced', { hostNetwork: true }) },
  ])('$rule', ({ of, allowed = [] }) => {
    expect(sysctlRejection(of, allowed)).toBeUndefined();
  });

  it.each([
    { rule: 'no other', of: setting('kernel.msgmax'), problem: '"kernel.msgmax" not allowlisted' },
    {
      rule: "no sysctl of the host's network",
      of: setting('net.ipv4.tcp_syncookies', { hostNetwork: true }),
      problem: '"net.ipv4.tcp_syncookies" not allowed with host Net enabled',
    },
    {
      rule: "no sysctl of the host's IPC namespace",
      of: setting('kernel.shm_rmid_forced', { hostIPC: true }),
      problem: '"kernel.shm_rmid_forced" not allowed with host IPC enabled',
    },
  ])('may set $rule', ({ of, problem }) => {
    expect(sysctlRejection(of, [])).toEqual({ reason: 'SysctlForbidden', message: `forbidden sysctl: ${problem}` });
  });
});
