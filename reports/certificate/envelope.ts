// A DSSE envelope around an in-toto statement: https://github.com/secure-systems-lab/dsse
// A certificate has one form to the byte, so that no bit of the file can change without being noticed.
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { RuncertError } from '../../common/error.ts';
import { isObject } from '../../common/json.ts';
import { keyIdOf } from './keys.ts';

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

export interface Envelope {
  readonly payloadType: string;
  /** The statement, as base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** What is signed: type and body, each with its length, so that neither can pass for the other. */
export const preAuthentication = (type: string, body: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body]);

export function seal(statement: string, privateKey: KeyObject): Envelope {
  const body = Buffer.from(statement, 'utf8');
  const sig = sign(null, preAuthentication(PAYLOAD_TYPE, body), privateKey).toString('base64');
  return {
    payloadType: PAYLOAD_TYPE,
    payload: body.toString('base64'),
    signatures: [{ keyid: keyIdOf(createPublicKey(privateKey)), sig }],
  };
}

/** The file of a certificate. */
export const envelopeText = ({ payloadType, payload, signatures }: Envelope): string =>
  `${JSON.stringify({ payloadType, payload, signatures: signatures.map(({ keyid, sig }) => ({ keyid, sig })) }, null, 2)}\n`;

export interface Opened {
  readonly envelope: Envelope;
  readonly body: Buffer;
}

/** Reads a certificate file. Any file that is not exactly what `envelopeText` writes is refused. */
export function openEnvelope(bytes: Uint8Array): Opened {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch (cause) {
    throw broken('It is not JSON in UTF-8.', cause);
  }
  if (!isEnvelope(parsed)) throw broken('It is no DSSE envelope with one signature.');
  if (parsed.payloadType !== PAYLOAD_TYPE)
    throw broken(`Its payload is ${JSON.stringify(parsed.payloadType.slice(0, 100))}, not an in-toto statement.`);
  const body = Buffer.from(parsed.payload, 'base64');
  const signature = parsed.signatures[0]?.sig ?? '';
  const strict =
    body.toString('base64') === parsed.payload && Buffer.from(signature, 'base64').toString('base64') === signature;
  if (!strict || !Buffer.from(envelopeText(parsed)).equals(Buffer.from(bytes)))
    throw broken('It was altered or reformatted since it was signed.');
  return { envelope: parsed, body };
}

/** Whether this key made the signature, over exactly this body, under its own name. */
export function signedBy({ envelope, body }: Opened, publicKey: KeyObject): boolean {
  const [signature] = envelope.signatures;
  if (signature === undefined || signature.keyid !== keyIdOf(publicKey)) return false;
  return verify(null, preAuthentication(envelope.payloadType, body), publicKey, Buffer.from(signature.sig, 'base64'));
}

function isEnvelope(value: unknown): value is Envelope {
  if (!isObject(value) || typeof value['payloadType'] !== 'string' || typeof value['payload'] !== 'string')
    return false;
  const list = value['signatures'];
  if (!Array.isArray(list) || list.length !== 1) return false;
  return isObject(list[0]) && typeof list[0]['keyid'] === 'string' && typeof list[0]['sig'] === 'string';
}

const broken = (message: string, cause?: unknown): RuncertError =>
  new RuncertError('RUNCERT_CERTIFICATE', `This is no sound certificate. ${message}`, {
    cause,
    remedy: 'Take the certificate from where it was issued, unchanged.',
  });
