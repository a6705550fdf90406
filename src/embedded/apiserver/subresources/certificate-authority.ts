import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type GeneralNameType,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Clock } from '../../../actor/clock.ts';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateSubject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  readonly usage: 'server' | 'client';
}

/** Issues certificates, and verifies them later. */
export interface CertificateAuthority {
  readonly certificate: string;
  /** For storing; its holder can act as anybody. */
  readonly key: string;
  issue(subject: CertificateSubject): Promise<KeyPair>;
  /** Signs a PEM request: its subject and names, for the given usage. Rejects an invalid request. */
  sign(request: string, grant: { readonly usage: 'server' | 'client'; readonly seconds: number }): Promise<string>;
}

const KEY = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const YEAR_SECONDS = 365 * 24 * 3600;
/** Clocks differ: a new certificate must be valid for a client whose clock is behind. */
const LEEWAY_MS = 5 * 60_000;

const newKeys = () => webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);

async function privatePem(key: CryptoKey): Promise<string> {
  return PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

/** Makes a new authority, or loads the stored one. */
export async function certificateAuthority(clock: Clock, stored?: KeyPair): Promise<CertificateAuthority> {
  const until = (seconds: number): Date => new Date(clock.now() + seconds * 1000);
  const since = (): Date => new Date(clock.now() - LEEWAY_MS);
  const { certificate, privateKey } = await (stored ? readPair(stored) : makeRoot());

  async function makeRoot() {
    const keys = await newKeys();
    const root = await X509CertificateGenerator.createSelfSigned({
      serialNumber: serial(),
      name: 'CN=hivelet-ca',
      notBefore: since(),
      notAfter: until(10 * YEAR_SECONDS),
      signingAlgorithm: SIGNING,
      keys,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(
          KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature,
          true,
        ),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return { certificate: root, privateKey: keys.privateKey };
  }

  interface Grant {
    readonly name: JsonName;
    readonly publicKey: CryptoKey | X509Certificate['publicKey'];
    readonly names: readonly { readonly type: GeneralNameType; readonly value: string }[];
    readonly usage: 'server' | 'client';
    readonly seconds: number;
  }

  async function grant({ name, publicKey, names, usage, seconds }: Grant): Promise<string> {
    const made = await X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: name,
      issuer: certificate.subject,
      notBefore: since(),
      notAfter: until(seconds),
      signingAlgorithm: SIGNING,
      publicKey,
      signingKey: privateKey,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth]),
        await AuthorityKeyIdentifierExtension.create(certificate),
        ...(names.length > 0 ? [new SubjectAlternativeNameExtension([...names])] : []),
      ],
    });
    return made.toString('pem');
  }

  return {
    certificate: certificate.toString('pem'),
    key: await privatePem(privateKey),
    async issue({ commonName, organizations = [], dnsNames = [], addresses = [], usage }) {
      const keys = await newKeys();
      const name = [...organizations.map((each) => ({ O: [each] })), { CN: [commonName] }];
      const names = [
        ...dnsNames.map((value) => ({ type: 'dns', value }) as const),
        ...addresses.map((value) => ({ type: 'ip', value }) as const),
      ];
      const pem = await grant({ name, publicKey: keys.publicKey, names, usage, seconds: YEAR_SECONDS });
      return { certificate: pem, key: await privatePem(keys.privateKey) };
    },
    async sign(text, { usage, seconds }) {
      const request = new Pkcs10CertificateRequest(text);
      if (!(await request.verify())) throw new Error('the signing request is not signed by its own key');
      const alternatives = request.extensions.find((each) => each instanceof SubjectAlternativeNameExtension);
      const names = alternatives?.names.items.map(({ type, value }) => ({ type, value })) ?? [];
      return grant({ name: request.subjectName.toJSON(), publicKey: request.publicKey, names, usage, seconds });
    },
  };
}

async function readPair({ certificate, key }: KeyPair) {
  const der = PemConverter.decodeFirst(key);
  const privateKey = await webcrypto.subtle.importKey('pkcs8', der, KEY, true, ['sign']);
  return { certificate: new X509Certificate(certificate), privateKey };
}

/** 127 random bits: a serial number is positive and unique. */
function serial(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = (bytes[0] ?? 0) & 0x7f;
  return Buffer.from(bytes).toString('hex');
}
