import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkApiAccess } from '../../../src/cli/run/check-api-access.ts';
import { UserError } from '../../../src/cli/user-error.ts';
import { certificateAuthority } from '../../../src/embedded/apiserver/subresources/certificate-authority.ts';
import { kubeconfig as kubeconfigText } from '../../../src/embedded/apiserver/kubeconfig.ts';
import { manualClock } from '../../support/manual-clock.ts';

const NOW = Date.parse('2026-05-01T12:00:00Z');
const YEARS_MS = 20 * 365 * 24 * 3_600_000;
const server = 'https://127.0.0.1:1';
let folder: string;
let authority: Awaited<ReturnType<typeof certificateAuthority>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hivelet-access-'));
  authority = await certificateAuthority(manualClock(NOW));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function apiWith(user: 'certificate' | { readonly token: string }) {
  const kubeconfig = join(folder, 'kubeconfig');
  const subject = { commonName: 'system:node:n1', organizations: ['system:nodes'], usage: 'client' } as const;
  const credentials = user === 'certificate' ? await authority.issue(subject) : user;
  writeFileSync(kubeconfig, kubeconfigText({ server, authority: authority.certificate, user: credentials }));
  return { kubeconfig, certDir: folder };
}

describe('an agent with a kubeconfig', () => {
  it('starts with a valid certificate, and with a token', async () => {
    await expect(checkApiAccess({ api: await apiWith('certificate') }, NOW)).resolves.toBeUndefined();
    const withToken = { api: await apiWith({ token: 'secret' }) };
    await expect(checkApiAccess(withToken, NOW + YEARS_MS)).resolves.toBeUndefined();
    await expect(checkApiAccess({}, NOW)).resolves.toBeUndefined();
  });

  it('exits at once with an expired certificate, and reports the problem and a remedy', async () => {
    const starting = checkApiAccess({ api: await apiWith('certificate') }, NOW + YEARS_MS);
    await expect(starting).rejects.toThrow(UserError);
    await expect(starting).rejects.toThrow(
      /client certificate of .*kubeconfig expired on 20.*there is no bootstrap kubeconfig: .*containers keep running/,
    );
  });

  it('reports that also when the bootstrap kubeconfig cannot help', async () => {
    const api = { ...(await apiWith('certificate')), bootstrapKubeconfig: join(folder, 'bootstrap') };
    await expect(checkApiAccess({ api }, NOW + YEARS_MS)).rejects.toThrow(
      /the bootstrap kubeconfig cannot renew this certificate/,
    );
  });

  it('exits at once when the file is no kubeconfig', async () => {
    const kubeconfig = join(folder, 'absent');
    await expect(checkApiAccess({ api: { kubeconfig, certDir: folder } }, NOW)).rejects.toThrow(UserError);
  });
});
