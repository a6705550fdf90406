import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { systemClock } from '../../../src/actor/clock.ts';
import { portOrFree } from '../../../src/cli/dev/port-or-free.ts';
import type { ApiUser } from '../../../src/embedded/apiserver/store/api-kind.ts';
import {
  certificateAuthority,
  type CertificateAuthority,
} from '../../../src/embedded/apiserver/subresources/certificate-authority.ts';
import { kubeconfig } from '../../../src/embedded/apiserver/kubeconfig.ts';
import { waitUntil } from '../containerd/wait-until.ts';
import type { ControlPlanePrograms } from './find-control-plane.ts';

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 10_000;

/**
 * A real `kube-apiserver` with an `etcd` of its own, on loopback, in a folder of its own. Admission is the default
 * without service accounts, since no controller creates them. There are no controllers and no scheduler.
 */
export class ControlPlane implements AsyncDisposable {
  readonly address: string;
  /** The authorities whose certificates it accepts, including its own. */
  readonly authority: CertificateAuthority;
  readonly #folder: string;
  readonly #programs: ControlPlanePrograms;
  readonly #children: ChildProcess[] = [];
  #flags: readonly string[] = [];
  #apiServer: ChildProcess | undefined;

  private constructor(
    folder: string,
    {
      authority,
      port,
      programs,
    }: {
      readonly authority: CertificateAuthority;
      readonly port: number;
      readonly programs: ControlPlanePrograms;
    },
  ) {
    this.#folder = folder;
    this.#programs = programs;
    this.authority = authority;
    this.address = `https://127.0.0.1:${port}`;
  }

  /** Rejects, with the end of the logs, when it is not ready in time. */
  static async start(programs: ControlPlanePrograms): Promise<ControlPlane> {
    const plane = await ControlPlane.prepare(programs);
    await plane.startApiServer();
    return plane;
  }

  /** Starts etcd, and gives the API server an address; nothing answers there yet. */
  static async prepare(programs: ControlPlanePrograms): Promise<ControlPlane> {
    const folder = mkdtempSync(join(tmpdir(), 'hivelet-control-plane-'));
    const authority = await certificateAuthority(systemClock);
    const [port, etcdPort, peerPort] = [await portOrFree(0), await portOrFree(0), await portOrFree(0)];
    const plane = new ControlPlane(folder, { authority, port, programs });
    plane.#run(programs.etcd, etcdFlags({ folder, port: etcdPort, peerPort }));
    plane.#flags = await plane.#apiServerFlags(port, etcdPort);
    return plane;
  }

  /** Rejects when the API server is not ready in time; nothing runs then. */
  async startApiServer(...flags: readonly string[]): Promise<void> {
    try {
      this.#apiServer = this.#run(this.#programs.apiServer, [...this.#flags, ...flags]);
      await this.#ready();
    } catch (error) {
      const logs = this.#logs();
      await this[Symbol.asyncDispose]();
      throw new Error(`the control plane did not become ready\n${logs}`, { cause: error });
    }
  }

  /** Ends the API server. Its objects stay in etcd. */
  async stopApiServer(): Promise<void> {
    const server = this.#apiServer;
    if (server === undefined) return;
    this.#apiServer = undefined;
    this.#children.splice(this.#children.indexOf(server), 1);
    await stop(server);
  }

  /** Makes a kubeconfig for a user, in the control plane's own folder. */
  async kubeconfigFor(user: ApiUser): Promise<string> {
    const { certificate, key } = await this.authority.issue({
      commonName: user.username,
      organizations: user.groups,
      usage: 'client',
    });
    return this.#write(
      `${user.username.replaceAll(/[^a-z0-9]/g, '-')}.kubeconfig`,
      kubeconfig({ server: this.address, authority: this.authority.certificate, user: { certificate, key } }),
    );
  }

  /** A file with the authority's certificate. */
  get authorityFile(): string {
    return join(this.#folder, 'ca.crt');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The API server stops before its etcd.
    for (const child of this.#children.toReversed()) await stop(child);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #apiServerFlags(port: number, etcdPort: number): Promise<readonly string[]> {
    const { authority } = this;
    this.#write('ca.crt', authority.certificate);
    const server = await authority.issue({
      commonName: 'kube-apiserver',
      dnsNames: ['localhost', 'kubernetes.default.svc'],
      addresses: ['127.0.0.1'],
      usage: 'server',
    });
    const kubeletClient = await authority.issue({
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters'],
      usage: 'client',
    });
    const accounts = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    return [
      `--etcd-servers=http://127.0.0.1:${etcdPort}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--client-ca-file=${this.authorityFile}`,
      `--tls-cert-file=${this.#write('server.crt', server.certificate)}`,
      `--tls-private-key-file=${this.#write('server.key', server.key)}`,
      `--kubelet-client-certificate=${this.#write('kubelet-client.crt', kubeletClient.certificate)}`,
      `--kubelet-client-key=${this.#write('kubelet-client.key', kubeletClient.key)}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${this.#write('accounts.pub', accounts.publicKey)}`,
      `--service-account-signing-key-file=${this.#write('accounts.key', accounts.privateKey)}`,
      '--service-cluster-ip-range=10.96.0.0/24',
      '--authorization-mode=Node,RBAC',
      '--disable-admission-plugins=ServiceAccount',
      '--allow-privileged=true',
      // A host name may lead to a loopback address, which the proxy to nodes refuses.
      '--kubelet-preferred-address-types=InternalIP,Hostname',
    ];
  }

  #run(program: string, flags: readonly string[]): ChildProcess {
    const log = openSync(join(this.#folder, `${this.#children.length}.log`), 'a');
    const child = spawn(program, flags, { stdio: ['ignore', log, log] });
    closeSync(log);
    // Whoever cannot be started has not become ready.
    child.on('error', () => {});
    const end = (): void => void child.kill('SIGKILL');
    process.once('exit', end);
    child.once('exit', () => process.off('exit', end));
    this.#children.push(child);
    return child;
  }

  async #ready(): Promise<void> {
    const dispatcher = new Agent({ connect: { ca: this.authority.certificate } });
    const answers = async (): Promise<boolean> => {
      const ended = this.#children.find(({ exitCode, pid }) => exitCode !== null || pid === undefined);
      if (ended !== undefined) throw new Error(`${ended.spawnfile} ended with ${ended.exitCode ?? 'an error'}`);
      return request(`${this.address}/readyz`, { dispatcher }).then(
        async ({ statusCode, body }) => {
          await body.dump();
          return statusCode === 200;
        },
        () => false,
      );
    };
    try {
      await waitUntil(answers, { what: 'kube-apiserver is ready', withinMs: READY_WITHIN_MS });
    } finally {
      await dispatcher.destroy();
    }
  }

  #write(name: string, text: string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  #logs(): string {
    const tail = (index: number): string => readFileSync(join(this.#folder, `${index}.log`), 'utf8').slice(-2_000);
    return this.#children.map(({ spawnfile }, index) => `${spawnfile}:\n${tail(index)}`).join('\n');
  }
}

const etcdFlags = ({
  folder,
  port,
  peerPort,
}: {
  readonly folder: string;
  readonly port: number;
  readonly peerPort: number;
}): readonly string[] => [
  `--data-dir=${join(folder, 'etcd')}`,
  `--listen-client-urls=http://127.0.0.1:${port}`,
  `--advertise-client-urls=http://127.0.0.1:${port}`,
  `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
  '--unsafe-no-fsync',
];

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const disarm = systemClock.after(STOP_WITHIN_MS, () => void child.kill('SIGKILL'));
  await ended;
  disarm();
}
