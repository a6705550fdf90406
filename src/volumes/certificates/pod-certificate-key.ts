import { constants, generateKeyPair, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { own } from '../../kube/text/own.ts';

const generate = promisify(generateKeyPair);

/** The parts of a new key that a certificate request carries, and the key itself. */
export interface CertificateKey {
  /** PKCS #8. */
  readonly privatePem: string;
  /** SubjectPublicKeyInfo in DER, in base64. */
  readonly publicKey: string;
  /** The pod's UID, signed, in base64. */
  readonly proof: string;
}

const CURVES: Readonly<Record<string, string>> = { ECDSAP256: 'P-256', ECDSAP384: 'P-384', ECDSAP521: 'P-521' };
const MODULI: Readonly<Record<string, number>> = { RSA3072: 3072, RSA4096: 4096 };

interface Pair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** Generates a key of one of the API's types (KEP-4317), off this thread. `undefined` when the type is unknown. */
export async function certificateKey(keyType: string, podUid: string): Promise<CertificateKey | undefined> {
  const pair = await newPair(keyType);
  if (pair === undefined) return undefined;
  return {
    privatePem: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    publicKey: pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    proof: proofOf(pair.privateKey, podUid).toString('base64'),
  };
}

async function newPair(keyType: string): Promise<Pair | undefined> {
  if (keyType === 'ED25519') return generate('ed25519');
  const namedCurve = own(CURVES, keyType);
  if (namedCurve !== undefined) return generate('ec', { namedCurve });
  const modulusLength = own(MODULI, keyType);
  return modulusLength === undefined ? undefined : generate('rsa', { modulusLength });
}

function proofOf(key: KeyObject, podUid: string): Buffer {
  const bytes = Buffer.from(podUid);
  if (key.asymmetricKeyType === 'ed25519') return sign(null, bytes, key);
  if (key.asymmetricKeyType === 'ec') return sign('sha256', bytes, key);
  const padding = constants.RSA_PKCS1_PSS_PADDING;
  return sign('sha256', bytes, { key, padding, saltLength: constants.RSA_PSS_SALTLEN_MAX_SIGN });
}
