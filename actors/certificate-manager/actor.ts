import { isDeepStrictEqual } from 'node:util';
import type { WallMs } from '../../src/actor/clock.ts';
import type { Actor, ActorContext } from '../../src/actor/actor.ts';
import type { ApiCall } from '../../src/api/api-client.ts';
import type { CertificateStore } from '../../src/api/certificates/certificate-store.ts';
import { isFor, newKeyAndRequest, type ServedNames } from '../../src/api/certificates/client-certificate.ts';
import { clientPurpose, requestCertificate, servingPurpose } from '../../src/api/certificates/request-certificate.ts';
import { assertNever } from '../../src/kube/text/assert-never.ts';
import { answerOr } from '../../src/actor/messages/answer-or.ts';
import type { ObservedAddresses } from '../../src/node/object/known-addresses.ts';
import { NODE_STATUS } from '../node-status/protocol.ts';
import { apiGatewayClient } from '../api-gateway/client.ts';
import type { CertificateMetrics } from './metrics.ts';
import type { ClientCertificateProtocol } from './protocol.ts';
import { dueAtOf, hasEnded, nextLook, renewAgainMs, secondsLeft, secondsUsed, servedNamesOf } from './state.ts';
import { dutyOf } from '../health-monitor/client.ts';
import type { Duty } from '../../src/health/duty.ts';

/** `serving-by-name`: a node without an IP address requests a certificate for its name alone. */
export type CertificatePurposeName = 'client' | 'serving' | 'serving-by-name';

export interface ClientCertificateDeps {
  readonly nodeName: string;
  readonly store: Pick<CertificateStore, 'read' | 'write'>;
  /** `rotateCertificates`; for the serving certificate: `serverTLSBootstrap`. */
  readonly rotate: boolean;
  /** Absent when metrics are not collected. */
  readonly metrics?: CertificateMetrics;
  /**
   * `serving`: the certificate has the names of the Node object's addresses, and the actor requests the first one too.
   */
  readonly purpose: CertificatePurposeName;
  /**
   * Calls with the credentials of the bootstrap kubeconfig. An expired client certificate cannot request its own
   * successor; with these calls the agent recovers without a restart.
   */
  readonly asBootstrap?: ApiCall;
}

const CALL_TIMEOUT_MS = 30_000;
const ADDRESSES_WITHIN_MS = 60_000;

/**
 * Renews a certificate of this node before it expires: the client certificate for the API server, or the serving
 * certificate.
 */
export class ClientCertificate implements Actor<ClientCertificateProtocol> {
  readonly #context: ActorContext<ClientCertificateProtocol>;
  readonly #renewal: Duty;
  readonly #deps: ClientCertificateDeps;
  #pem: string | undefined;
  #dueAt: WallMs = Infinity;
  #failures = 0;
  #work: 'none' | 'reading' | 'requesting' = 'none';
  /** The names that the serving certificate must have. `undefined` until the node has addresses. */
  #served: ServedNames | undefined;
  #request = 0;
  #cancel: () => void = () => {};

  constructor(context: ActorContext<ClientCertificateProtocol>, deps: ClientCertificateDeps) {
    this.#context = context;
    this.#renewal = dutyOf(context, {
      work:
        deps.purpose === 'client'
          ? 'renew the client certificate of this node'
          : 'renew the server certificate of this node',
      follows: 'the certificate in use stays until it expires',
      isLoggedByActor: true,
    });
    this.#deps = deps;
  }

  start(): void {
    this.#deps.metrics?.goodFor(() => secondsLeft(this.#pem, this.#context.clock.now()));
    if (!this.#deps.rotate) return;
    this.#check();
    if (this.#deps.purpose !== 'client') this.#context.supervise(this.#askForAddresses());
  }

  /** Later addresses are sent as they change. */
  async #askForAddresses(): Promise<void> {
    const asked = this.#context.ref(NODE_STATUS).ask({ type: 'node-addresses' }, { deadlineMs: ADDRESSES_WITHIN_MS });
    const observed = await answerOr(asked, () => undefined);
    if (observed !== undefined) this.#context.self.tell({ type: 'node-addresses-observed', ...observed });
  }

  tell(command: ClientCertificateProtocol['command']): void {
    switch (command.type) {
      case 'check-due':
        return this.#check();
      case 'certificate-read':
        return this.#certificateRead(command.pem);
      case 'renewed':
        return this.#renewed(command);
      case 'node-addresses-observed':
        return this.#addressesObserved(command);
      case 'api-health-changed':
        // The server is back: a retry that waits after a failure can go now.
        if (command.health.state === 'up' && this.#failures > 0) this.#checkIn(this.#context.random() * 5_000);
        return;
      default:
        return assertNever(command, 'client certificate command');
    }
  }

  /**
   * The node is known under other names: a certificate with the former ones is of no use, and neither is a request under
   * way. Addresses that only the host has are not those that the signer compares with.
   */
  #addressesObserved({ addresses, from }: ObservedAddresses): void {
    const { purpose, rotate } = this.#deps;
    if (!rotate || purpose === 'client' || from === 'host') return;
    const served = servedNamesOf(addresses, purpose === 'serving' ? 'address' : 'any-name');
    if (served === undefined || isDeepStrictEqual(served, this.#served)) return;
    this.#served = served;
    this.#request += 1;
    this.#failures = 0;
    if (this.#work === 'requesting') this.#work = 'none';
    this.#check();
  }

  #check(): void {
    if (this.#work !== 'none') return;
    this.#work = 'reading';
    const { self } = this.#context;
    this.#context.supervise(this.#deps.store.read().then((pem) => self.tell({ type: 'certificate-read', pem })));
  }

  #certificateRead(pem: string | undefined): void {
    this.#work = 'none';
    const { clock, random } = this.#context;
    if (pem !== this.#pem) this.#dueAt = dueAtOf(pem, random);
    this.#pem = pem;
    // The names of a serving certificate follow from the node's addresses: a later notice brings them.
    if (this.#deps.purpose !== 'client' && this.#served === undefined) return;
    const next = nextLook(pem, { now: clock.now(), dueAt: this.#dueAt, served: this.#served });
    switch (next.type) {
      case 'nothing':
        return;
      case 'later':
        return this.#checkIn(next.inMs);
      case 'renew':
        return this.#renew();
      default:
        return assertNever(next, 'next check');
    }
  }

  #renew(): void {
    this.#work = 'requesting';
    const { self, clock } = this.#context;
    const { nodeName, store, asBootstrap } = this.#deps;
    const served = this.#served;
    const request = ++this.#request;
    const purpose = served === undefined ? clientPurpose : servingPurpose;
    const mayAskItself = !hasEnded(this.#pem, clock.now()) || asBootstrap === undefined;
    const call = mayAskItself ? apiGatewayClient(this.#context, CALL_TIMEOUT_MS) : asBootstrap;
    const renewing = async (): Promise<void> => {
      const made = await newKeyAndRequest(nodeName, served);
      const outcome = await requestCertificate(made, { call, clock, purpose });
      if (request !== this.#request) return;
      if (outcome.ok && served !== undefined && !isFor(outcome.certificate, served)) {
        return self.tell({ type: 'renewed', request, problem: 'the signed certificate lacks names of this node' });
      }
      if (outcome.ok) await store.write(`${outcome.certificate.trimEnd()}\n${made.key}`, clock.now());
      self.tell({ type: 'renewed', request, problem: outcome.ok ? undefined : outcome.problem });
    };
    this.#context.supervise(
      renewing().catch((error: unknown) => self.tell({ type: 'renewed', request, problem: String(error) })),
    );
  }

  #renewed({ request, problem }: Extract<ClientCertificateProtocol['command'], { type: 'renewed' }>): void {
    if (request !== this.#request) return;
    this.#work = 'none';
    const { log, random } = this.#context;
    if (problem === undefined) {
      this.#renewal.worked();
      this.#failures = 0;
      this.#deps.metrics?.renewed(secondsUsed(this.#pem, this.#context.clock.now()));
      log.info({}, `the ${this.#what()} certificate of this node was renewed`);
      return this.#check();
    }
    this.#failures += 1;
    this.#renewal.failed(problem);
    this.#deps.metrics?.notRenewed();
    const againMs = renewAgainMs(this.#failures, random);
    const seconds = Math.round(againMs / 1000);
    log.warn(
      { failures: this.#failures },
      `the ${this.#what()} certificate could not be renewed: ${problem}; retrying in ${seconds} s`,
    );
    this.#checkIn(againMs);
  }

  #what(): string {
    return this.#deps.purpose === 'client' ? 'client' : 'server';
  }

  #checkIn(ms: number): void {
    this.#cancel();
    this.#cancel = this.#context.clock.after(ms, () => this.#context.self.tell({ type: 'check-due' }));
  }
}
