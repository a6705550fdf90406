import { kubeconfigProblemText } from '../../../src/api/kubeconfig/kubeconfig-fields.ts';
import { readKubeconfig, type ReadKubeconfig } from '../../../src/api/kubeconfig/kubeconfig.ts';
import { judged, READING_MS } from '../oracle.ts';
import type { Recipe } from '../recipe.ts';
import type { Target } from '../target.ts';
import { fileTextOf, writtenFiles, type Written } from '../written.ts';

const PEM = Buffer.from('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n').toString('base64');
const around = (cluster: Recipe, user: Recipe): Recipe => ({
  apiVersion: 'v1',
  kind: 'Config',
  preferences: {},
  'current-context': 'main',
  contexts: [{ name: 'main', context: { cluster: 'here', user: 'node', namespace: 'default' } }],
  clusters: [{ name: 'here', cluster }],
  users: [{ name: 'node', user }],
});

const bases: Readonly<Record<string, Recipe>> = {
  token: around(
    { server: 'https://api.example:6443/prefix', 'certificate-authority-data': PEM, 'tls-server-name': 'api' },
    { token: 'abc', as: 'somebody', 'as-uid': '1', 'as-groups': ['a', 'b'], 'as-user-extra': { reason: ['x'] } },
  ),
  certificates: around(
    { server: 'https://api.example:6443', 'certificate-authority': 'ca.crt', 'proxy-url': 'http://proxy:3128' },
    { 'client-certificate': 'client.crt', 'client-key-data': PEM },
  ),
  plugin: around(
    { server: 'api.example', 'insecure-skip-tls-verify': true },
    {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: './plugin',
        args: ['--cluster', 'here'],
        env: [{ name: 'HOME', value: '/root' }],
        provideClusterInfo: true,
        installHint: 'install it',
        interactiveMode: 'Never',
      },
    },
  ),
  basic: around({ server: 'http://127.0.0.1:8080/' }, { username: 'n', password: 'p', tokenFile: 'token' }),
};

export const kubeconfigs: Target<Written> = {
  name: 'kubeconfigs',
  allowedMs: READING_MS,
  cases: writtenFiles(bases),
  open: async () => ({
    async run(given) {
      const text = fileTextOf(bases, given);
      return judged('readKubeconfig', () => read(text), outcomeOf);
    },
    close: () => Promise.resolve(),
  }),
};

/** Reads a kubeconfig, and returns the messages for people. */
function read(text: string): ReadKubeconfig {
  const outcome = readKubeconfig(text, '/etc/kubernetes/kubelet.conf');
  if (outcome.ok) mustBeTyped(outcome.access);
  else for (const problem of outcome.problems) kubeconfigProblemText('kubelet.conf', problem);
  return outcome;
}

function outcomeOf(answer: unknown): string {
  const outcome = answer as ReadKubeconfig;
  return outcome.ok ? `reads ${outcome.access.login.kind}` : outcome.problems.map(({ path }) => path).join(' ');
}

/** Checks that text members hold text: they become headers, arguments and environment variables. */
function mustBeTyped({ server, login, impersonation }: Extract<ReadKubeconfig, { ok: true }>['access']): void {
  if (!URL.canParse(server)) throw new Error(`kubeconfig: the server ${JSON.stringify(server)} is no URL`);
  for (const value of Object.values(impersonation).flat()) mustBeText('an impersonation header', value);
  if (login.kind !== 'exec') return;
  for (const value of login.plugin.args) mustBeText('an argument', value);
  for (const value of Object.values(login.plugin.env)) mustBeText('an environment variable', value);
}

function mustBeText(what: string, value: unknown): void {
  if (typeof value !== 'string') throw new Error(`kubeconfig: ${what} is a ${typeof value}`);
  if (value === '[object Object]') throw new Error(`kubeconfig: ${what} is the text of an object`);
}
