import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/actor/clock.ts';
import { keptCertificate } from '../../src/serving/kept-certificate.ts';
import { selfSignedCertificate } from '../../src/serving/server-certificate.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
const names = { hostname: 'n1', addresses: ['127.0.0.1'] };

describe('the own certificate of a node', () => {
  let folder: string;
  let made: number;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'hivelet-own-certificate-')), 'pki');
    made = 0;
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  const start = (now = systemClock.now()) =>
    keptCertificate({
      folder,
      now,
      make: () => {
        made += 1;
        return selfSignedCertificate(names, now);
      },
    });
  const file = (name: 'kubelet.crt' | 'kubelet.key') => join(folder, name);

  it('is the same after each start, in the files of a kubelet', async () => {
    const first = await start();
    expect(await start()).toEqual(first);
    expect(made).toBe(1);
    expect(readFileSync(file('kubelet.crt'), 'utf8')).toBe(first.cert);
    expect((statSync(file('kubelet.key')).mode & 0o777).toString(8)).toBe('600');
  });

  it.each<{ what: string; spoil: () => void }>([
    { what: 'the key is gone', spoil: () => rmSync(file('kubelet.key')) },
    {
      what: 'the certificate is cut short',
      spoil: () => writeFileSync(file('kubelet.crt'), '-----BEGIN CERTIFICATE-----\n'),
    },
  ])('is created again if $what', async ({ spoil }) => {
    const first = await start();
    spoil();
    const second = await start();
    expect(second.cert).not.toBe(first.cert);
    expect(await start()).toEqual(second);
  });

  it('is made again where the key belongs to another certificate', async () => {
    await start();
    const { key } = await selfSignedCertificate(names, systemClock.now());
    writeFileSync(file('kubelet.key'), key);
    await start();
    expect(made).toBe(2);
  });

  it('is created again once it has expired', async () => {
    await start();
    await start(systemClock.now() + YEAR_MS + 60_000);
    expect(made).toBe(2);
  });
});
